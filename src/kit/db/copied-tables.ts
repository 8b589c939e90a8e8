import type pg from "pg";
import { Refusal } from "#kit/contract/refusal.ts";

/*
 * The tables and sequences that are copied, read from the catalog, so that none can be forgotten. All
 * tables of the public schema are the product's. The job queue's schema is left out: a worker that
 * starts queues the recurring jobs again (src/kit/jobs/queue.ts), and the queued reports (order-scheduled-reports).
 */

export interface CopiedTable {
  name: string;
  /** By name, in order; generated ones, which nobody can write, are left out. */
  columns: { name: string; type: string }[];
}

/**
 * The tables of the product's schema by name; partitions, not the tables that they are partitions of. Not `rules`: that
 * one says how this database's own server tells its functions and triggers, and another server uses other words.
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

/** Throws 409 when one has a table that the other has not, or has with other columns. */
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
    `Nothing was copied: ${onlyInSource ? `the database to be copied has ${onlyInSource}, and the other has not` : `the database to be copied lacks ${onlyInTarget}`}. Both must be as the migrations make them: move what is your own into another schema.`,
  );
}

function columnsText(columns: CopiedTable["columns"]): string {
  return columns
    .map(({ name, type }) => `${name} ${type}`)
    .toSorted()
    .join(", ");
}
