import { cpSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { expect, onTestFinished, test } from "vitest";
import { migrate } from "#kit/db/migrate.ts";
import { aBareDatabase } from "#tests/support/test-database.ts";

test("a report from before files were in the database can be retried, and counts as no failure", async () => {
  const folder = mkdtempSync(join(tmpdir(), "earlier-migrations-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const name of readdirSync("migrations").filter((one) => one < "0071"))
    cpSync(join("migrations", name), join(folder, name));
  const database = await aBareDatabase();
  onTestFinished(() => database.drop());
  const { ownerConnectionString } = database;
  await migrate(ownerConnectionString, { folder });
  const client = new pg.Client({ connectionString: ownerConnectionString });
  await client.connect();
  onTestFinished(() => client.end());
  await client.query(`
    insert into networks (id, name, time_zone) values (1, 'Harbor', 'UTC');
    insert into data_exports (network_id, id, report_type, columns, status, file_name, file_bytes, requested_by,
      finished_at, expires_at, removed_at)
    values (1, 1, 'attorneys', '{id}', 'ready', 'a.csv', 4, 'Dana', now(), now() + interval '7 days', null),
      (1, 2, 'attorneys', '{id}', 'ready', 'b.csv', 4, 'Dana', now(), now(), now())`);
  await migrate(database.ownerConnectionString);
  const { rows } = await client.query(
    "select id::int, status, is_cancelled, file_name, failure_reason from data_exports order by id",
  );
  expect(rows).toEqual([
    {
      id: 1,
      status: "failed",
      is_cancelled: true,
      file_name: null,
      failure_reason:
        "Its file was left behind when the server was upgraded. Retry to have it with the figures of today.",
    },
    { id: 2, status: "ready", is_cancelled: false, file_name: "b.csv", failure_reason: null },
  ]);
});
