import pg from "pg";
import { type CopiedTable, tablesOf } from "#kit/db/copied-tables.ts";
import { networkTables, type NetworkTable } from "#kit/db/network-tables.ts";

export type CopiedNetworkTable = NetworkTable & CopiedTable;

/** Every table that is copied with a network. Sessions are not: people sign in again. */
export async function copiedNetworkTables(client: pg.Client): Promise<CopiedNetworkTable[]> {
  const columns = new Map((await tablesOf(client)).map((table) => [table.name, table.columns]));
  return (await networkTables(client))
    .filter(({ name }) => name !== "sessions")
    .map((table) => ({ ...table, columns: columns.get(table.name) ?? [] }));
}

interface Digest {
  rows: number;
  digest: string;
}

/**
 * Compare a network in two databases by the sum of its row hashes per table, in any order. Returns the row count of
 * `one`, and descriptions of tables that differ. `leftOut` are columns to ignore, as `table.column`.
 */
export async function compareNetwork(
  one: pg.Client,
  other: pg.Client,
  { networkId, leftOut = [] }: { networkId: number; leftOut?: string[] },
): Promise<{ rows: number; different: string[] }> {
  let rows = 0;
  const different: string[] = [];
  for (const { name, networkColumn, columns } of await copiedNetworkTables(one)) {
    const compared = columns
      .filter((column) => !leftOut.includes(`${name}.${column.name}`))
      // PostgreSQL hashes json only as text.
      .map((column) => pg.escapeIdentifier(column.name) + (column.type === "json" ? "::text" : ""));
    const query = `
      select count(*) as rows, coalesce(sum(hash_record_extended(row(${compared.join(", ")}), 0)), 0)::text as digest
      from ${pg.escapeIdentifier(name)} where ${networkColumn} = ${networkId}`;
    const [ours, theirs] = await Promise.all([one, other].map((end) => digest(end, query)));
    if (!ours || !theirs) throw new Error("both were asked");
    if (ours.rows !== theirs.rows || ours.digest !== theirs.digest)
      different.push(`${name} (${ours.rows} rows here, ${theirs.rows} there)`);
    rows += ours.rows;
  }
  return { rows, different };
}

async function digest(client: pg.Client, query: string): Promise<Digest> {
  const { rows } = await client.query<Digest>(query);
  const [found] = rows;
  if (!found) throw new Error("an aggregate is one row");
  return found;
}
