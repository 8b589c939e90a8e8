import type pg from "pg";
import { Refusal } from "#kit/contract/refusal.ts";

/*
 * The tables and sequences to copy, read from the catalog, so that none can be forgotten. All tables of the public
 * schema are the product's. The job queue's schema is left out: a starting worker queues the recurring jobs again
 * (src/kit/jobs/queue.ts), and the queued reports (order-scheduled-reports).
 */

export interface CopiedTable {
  name: string;
  /** In order of name. Generated columns cannot be written and are left out. */
  columns: { name: string; type: string }[];
}

/**
 * The product's tables by name, with partitions instead of their parent tables. Not `rules`, which stores how this
 * database's own server prints its functions and triggers: another server prints them differently.
 */
export async function tablesOf(client: pg.ClientBase): Promise<CopiedTable[]> {
  const { rows } = await client.query<CopiedTable>(`
    select c.relname as name, json_agg(json_build_object('name', a.attname,
      'type', format_type(a.atttypid, a.atttypmod)) order by a.attnum) as columns
    from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
      and a.attgenerated = ''
    where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r' and c.relname <> 'rules'
      and ${notOfExtension}
    group by c.relname order by c.relname`);
  return rows;
}

export async function sequencesOf(client: pg.ClientBase): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(`
    select c.relname as name from pg_class c
    where c.relnamespace = current_schema()::regnamespace and c.relkind = 'S' and ${notOfExtension}
    order by c.relname`);
  return rows.map(({ name }) => name);
}

const notOfExtension = `not exists (
  select from pg_depend d
  where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')`;

/** Throws 409 if the two differ in tables or columns. */
export function refuseDifferentTables(
  source: { tables: CopiedTable[]; sequences: string[] },
  target: { tables: CopiedTable[]; sequences: string[] },
): void {
  const [ours, theirs] = [target, source].map(({ tables, sequences }) => [
    ...tables.map(({ name, columns }) => `${name} (${columnsText(columns)})`),
    ...sequences,
  ]);
  const onlyInSource = theirs?.find((one) => !ours?.includes(one));
  const onlyInTarget = ours?.find((one) => !theirs?.includes(one));
  if (!onlyInSource && !onlyInTarget) return;
  throw new Refusal(
    409,
    `Nothing was copied: ${onlyInSource ? `the source database has ${onlyInSource}, but the target does not` : `the source database lacks ${onlyInTarget}`}. Both must be as the migrations create them. Move your own tables into another schema.`,
  );
}

function columnsText(columns: CopiedTable["columns"]): string {
  return columns
    .map(({ name, type }) => `${name} ${type}`)
    .toSorted()
    .join(", ");
}
