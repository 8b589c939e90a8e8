import pg from "pg";
import { Refusal } from "#contract/refusal.ts";
import type { End, Ends } from "#features/cells/move-ends.ts";
import { movedTables } from "#features/cells/network-replication.ts";
import type { NetworkTable } from "#features/cells/network-tables.ts";

/** How many tables each side reads at a time. */
const atOnce = 3;

interface Digest {
  rows: string;
  digest: string;
}

/**
 * Compare the network row by row in both cells, each of which adds up a hash of every row of a table, in
 * whatever order it finds them. Answers how many rows there are. Throws 409 where they differ.
 */
export async function compareNetwork(
  ends: Ends,
  onProgress: (done: number, all: number) => void = () => undefined,
): Promise<number> {
  const { source, target, networkId } = ends;
  const tables = await movedTables(source);
  const columns = await columnsOf(source);
  const left = bySize(tables, await sizesOf(source));
  let compared = 0;
  let rows = 0;
  const different: string[] = [];
  const compareNext = async (): Promise<void> => {
    for (;;) {
      const table = left.shift();
      if (!table) return;
      const of = { table, networkId, columns: columns.get(table.name) ?? [] };
      const [ours, theirs] = await Promise.all([digest(source, of), digest(target, of)]);
      if (ours.rows !== theirs.rows || ours.digest !== theirs.digest)
        different.push(`${table.name} (${ours.rows} rows here, ${theirs.rows} there)`);
      rows += Number(ours.rows);
      compared += 1;
      onProgress(compared, tables.length);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, compareNext));
  if (different.length > 0)
    throw new Refusal(
      409,
      `The rows that have arrived are not those that are here: ${different.join(", ")}. Call the move off (--call-off), then begin again.`,
    );
  return rows;
}

/** Without generated columns, which each cell generates by itself. */
async function columnsOf({ pool }: End): Promise<Map<string, string[]>> {
  const { rows } = await pool.query<{ name: string; columns: string[] }>(
    `select c.relname as name, array_agg(a.attname::text order by a.attname) as columns
      from pg_class c join pg_attribute a on a.attrelid = c.oid
        and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
      where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' group by c.relname`,
  );
  return new Map(rows.map(({ name, columns }) => [name, columns]));
}

async function sizesOf({ pool }: End): Promise<Map<string, number>> {
  const { rows } = await pool.query<{ name: string; pages: number }>(
    "select relname as name, relpages as pages from pg_class where relnamespace = 'public'::regnamespace",
  );
  return new Map(rows.map(({ name, pages }) => [name, pages]));
}

/** The largest first, so that no long one is left for the end. */
const bySize = (tables: NetworkTable[], pages: Map<string, number>): NetworkTable[] =>
  tables.toSorted((a, b) => (pages.get(b.name) ?? 0) - (pages.get(a.name) ?? 0));

async function digest(
  side: End,
  { table, networkId, columns }: { table: NetworkTable; networkId: number; columns: string[] },
): Promise<Digest> {
  return await inTextFormats(side, async (client) => {
    const row = columns.map((column) => pg.escapeIdentifier(column)).join(", ");
    const { rows } = await client.query<Digest>(
      `select count(*)::text as rows,
        coalesce(sum(hashtextextended(row(${row})::text collate "C", 0)), 0)::text as digest
      from ${pg.escapeIdentifier(table.name)} where ${table.networkColumn} = $1`,
      [networkId],
    );
    const [found] = rows;
    if (!found) throw new Error("an aggregate is one row");
    return found;
  });
}

/** Read with the same text formats in both cells, whatever their roles and databases are set to. */
async function inTextFormats<Answer>(
  { pool }: End,
  work: (client: pg.PoolClient) => Promise<Answer>,
): Promise<Answer> {
  const client = await pool.connect();
  let isBroken = true;
  try {
    await client.query(`begin read only;
      set local datestyle = 'ISO, YMD'; set local timezone = 'UTC'; set local intervalstyle = 'postgres';
      set local bytea_output = 'hex'; set local extra_float_digits = 1`);
    const answer = await work(client);
    await client.query("commit");
    isBroken = false;
    return answer;
  } finally {
    client.release(isBroken);
  }
}
