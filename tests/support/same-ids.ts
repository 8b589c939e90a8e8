import type pg from "pg";
import { tablesOfRange } from "#kit/db/id-range.ts";
import { networkTables } from "#kit/db/network-tables.ts";
import { disableConstraints } from "#kit/db/disable-constraints.ts";

const idOffset = 1_000_000;

/** Texts that are unique in the whole database. */
const uniqueTexts: Record<string, string[]> = {
  users: ["email"],
  sessions: ["token"],
  passkeys: ["credential_id"],
  api_tokens: ["hash"],
};

/**
 * Copy a network within its own database, as if from another one: its rows have the same ids, except ids that
 * must be unique. Returns the copy's id. `owner`: the tables' owner.
 */
export async function copyWithSameIds(owner: pg.Pool, networkId: number): Promise<number> {
  const client = await owner.connect();
  try {
    await client.query("begin");
    const restore = await disableConstraints(client);
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
        if (isApart) return `${column} + ${idOffset}`;
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
  return networkId + idOffset;
}
