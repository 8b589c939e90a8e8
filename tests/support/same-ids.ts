import type pg from "pg";
import { tablesOfRange } from "#kit/db/id-range.ts";
import { networkTables } from "#kit/db/network-tables.ts";
import { setConstraintsAside } from "#kit/db/setting-aside.ts";

const apart = 1_000_000;

/** Texts of which there is one in the whole database. */
const uniqueTexts: Record<string, string[]> = {
  users: ["email"],
  sessions: ["token"],
  passkeys: ["credential_id"],
  api_tokens: ["hash"],
};

/**
 * A copy of a network in its own database, as one that was copied from another may be: its rows have the ids of
 * the first's, but where an id is known alone. Answers the copy's id. `owner`: of the tables.
 */
export async function copyWithSameIds(owner: pg.Pool, networkId: number): Promise<number> {
  const client = await owner.connect();
  try {
    await client.query("begin");
    const restore = await setConstraintsAside(client);
    for (const { name, networkColumn } of await networkTables(client)) {
      const { rows } = await client.query<{ column: string }>(
        `select attname as column from pg_attribute
        where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = ''`,
        [name],
      );
      const copied = rows.map(({ column }) => {
        const isApart =
          column === networkColumn ||
          column === "user_id" ||
          (column === "id" && tablesOfRange.includes(name));
        if (isApart) return `${column} + ${apart}`;
        if (!uniqueTexts[name]?.includes(column)) return column;
        return name === "api_tokens" ? `reverse(${column})` : `'of-copy-' || ${column}`;
      });
      const columns = rows.map(({ column }) => column);
      await client.query(
        `insert into ${name} (${columns.join(", ")}) overriding system value
        select ${copied.join(", ")} from ${name} where ${networkColumn} = $1`,
        [networkId],
      );
    }
    for (const statement of restore) await client.query(statement);
    await client.query("commit");
  } finally {
    client.release();
  }
  return networkId + apart;
}
