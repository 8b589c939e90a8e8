import { cpSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { onTestFinished } from "vitest";
import { migrate } from "#kit/db/migrate.ts";
import { aBareDatabase } from "#tests/support/test-database.ts";

/** A database of a release before the migration with this number, and its upgrade. */
export async function anEarlierDatabase(before: string) {
  const folder = mkdtempSync(join(tmpdir(), "earlier-migrations-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const name of readdirSync("migrations").filter((one) => one < before))
    cpSync(join("migrations", name), join(folder, name));
  const database = await aBareDatabase();
  onTestFinished(() => database.drop());
  const address = database.ownerConnectionString;
  await migrate(address, { folder });
  const client = await connected(address);
  return {
    client,
    address,
    /** Insert old rows past the triggers of these tables; rows inserted later get ids of their own. */
    insert: async (tables: string[], records: string) => {
      const turn = (which: string) =>
        tables.map((table) => `alter table ${table} ${which} trigger user;`).join(" ");
      const later = tables.map(
        (table) => `select setval(pg_get_serial_sequence(id.table_name::text, 'id'), 1000)
          from information_schema.columns id
          where id.table_name = '${table}' and id.column_name = 'id' and id.is_identity = 'YES';`,
      );
      await client.query(
        `begin; ${turn("disable")} ${records} ${later.join(" ")} ${turn("enable")} commit`,
      );
    },
    /** The output of the upgrade. */
    upToDate: async () => {
      const said: string[] = [];
      await migrate(address, { log: (line) => said.push(line) });
      return said;
    },
  };
}

export async function connected(connectionString: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}
