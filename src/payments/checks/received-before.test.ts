import { cpSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { expect, onTestFinished, test } from "vitest";
import { migrate } from "#kit/db/migrate.ts";
import { aBareDatabase } from "#tests/support/test-database.ts";

/** A folder with the migrations before received checks. */
function earlierMigrations(): string {
  const folder = mkdtempSync(join(tmpdir(), "earlier-migrations-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const name of readdirSync("migrations").filter((one) => one < "0016"))
    cpSync(join("migrations", name), join(folder, name));
  return folder;
}

test("each check recorded before migration 0016 becomes a received check with its shares' status", async () => {
  const database = await aBareDatabase();
  onTestFinished(() => database.drop());
  await migrate(database.connectionString, { folder: earlierMigrations() });
  const client = new pg.Client({ connectionString: database.connectionString });
  await client.connect();
  onTestFinished(() => client.end());
  await client.query(`
    insert into networks (id, name, time_zone) values (1, 'Harbor', 'America/New_York');
    insert into attorneys (network_id, id, first_name, last_name, email) values (1, 1, 'Maya', 'Okafor', 'm@example.org');
    insert into plans (network_id, id, name, amount_cents, frequency_in_months) values (1, 1, 'Dues', 10000, 1);
    insert into enrolments (network_id, id, attorney_id, plan_id, start_date, enrolled_on, first_period)
      values (1, 1, 1, 1, '2026-01-01', '2026-01-01', 0);
    insert into debits (network_id, id, attorney_id, enrolment_id, period, due_on, amount_cents, balance_cents)
      select 1, n, 1, 1, n, '2026-01-01', 10000, 10000 from generate_series(1, 4) as n;
    insert into payments (network_id, id, attorney_id, method, amount_cents, check_number, created_at)
      select 1, n, 1, 'check', 2000, '10' || n, '2026-02-01T02:00:00Z' from generate_series(1, 4) as n;
    insert into payment_allocations (network_id, attorney_id, payment_id, debit_id, amount_cents, check_number)
      select 1, 1, n, d, 1000, '10' || n from generate_series(1, 4) as n, generate_series(1, 2) as d;
    update payment_allocations set status = 'approved', decided_at = '2026-02-02T12:00:00Z', decided_by = 7
      where payment_id = 2 or (payment_id = 4 and debit_id = 1);
    update payment_allocations set status = 'denied', decided_at = '2026-02-03T12:00:00Z', decided_by = 8
      where payment_id = 3 or (payment_id = 4 and debit_id = 2);`);

  await migrate(database.connectionString);

  const { rows } = await client.query(`
    select c.check_number, c.status, c.attorney_id::integer, c.amount_cents::integer, c.received_on::text, c.is_whole,
      c.decided_by::integer, count(p.id)::integer as payments
    from received_checks c join payments p on p.network_id = c.network_id and p.received_check_id = c.id
    group by c.network_id, c.id order by c.id`);
  const check = {
    attorney_id: 1,
    amount_cents: 2000,
    received_on: "2026-01-31",
    is_whole: false,
    payments: 1,
  };
  expect(rows).toEqual([
    { ...check, check_number: "101", status: "pending", decided_by: null },
    { ...check, check_number: "102", status: "approved", decided_by: 7 },
    { ...check, check_number: "103", status: "denied", decided_by: 8 },
    { ...check, check_number: "104", status: "mixed", decided_by: 8 },
  ]);
});
