import { sql } from "kysely";
import { expect } from "vitest";
import { plainDate } from "#kit/domain/calendar.ts";
import { findDueButNotBilled } from "#dues/ledger/billing-runs.ts";
import { verifyLedger } from "#dues/ledger/verify-ledger.ts";
import { seed } from "#main/demo/seed.ts";
import { operator } from "#access/networks/networks.ts";
import { type MadeNetwork } from "#main/demo/records/networks.ts";
import { makeNetwork } from "#tests/support/records/networks.ts";
import { databaseTest, db } from "#tests/support/database-test.ts";

const today = plainDate("2026-03-31");
const wanted = { attorneys: 40, plans: 3, months: 6, seed: 7, today };

const test = databaseTest();

/** Everything that the seed decides, without ids and times. */
async function madeIn(network: MadeNetwork) {
  const { rows } = await sql<Record<string, unknown>>`
    select a.first_name, a.last_name, a.email, a.phone, a.address_line_1, p.name, p.amount_cents,
      e.start_date, d.due_on, d.balance_cents, d.pending_cents, (
        select array_agg(l.cause || l.owed_cents order by l.cause, l.owed_cents)
        from entries l where l.network_id = d.network_id and l.debit_id = d.id) as entries, (
        select array_agg(s.status || s.amount_cents || s.check_number || s.created_at::date)
        from payment_allocations s where s.network_id = d.network_id and s.debit_id = d.id) as shares
    from debits d
    join enrolments e on e.network_id = d.network_id and e.id = d.enrolment_id
    join plans p on p.network_id = e.network_id and p.id = e.plan_id
    join attorneys a on a.network_id = d.network_id and a.id = d.attorney_id
    where d.network_id = ${network.id} order by a.email, p.name, d.due_on`.execute(db);
  return rows;
}

const broken = async () => (await verifyLedger(db, null)).filter(({ offenders }) => offenders > 0);

test("a seeded network matches the options: everyone in the first plan, billed every month", async () => {
  const network = await makeNetwork(db);
  const made = await seed(db, operator(network.id), wanted);
  expect(made).toMatchObject({ attorneys: 40, plans: 3 });
  expect(made.enrolments).toBeGreaterThan(40 + 10);
  const { rows } = await sql<{ count: number }>`
    select count(*) from debits d
    join enrolments e on e.network_id = d.network_id and e.id = d.enrolment_id
    where d.network_id = ${network.id} and e.plan_id = (
      select min(id) from plans where network_id = ${network.id})`.execute(db);
  expect(rows[0]?.count).toBe(40 * 6);
  expect(await findDueButNotBilled(db, network.admin, today)).toEqual([]);
  const runs = db.selectFrom("billingRuns").select("asOf").where("networkId", "=", network.id);
  expect(await runs.orderBy("id").execute()).toEqual([
    { asOf: "2025-10-31" },
    { asOf: "2025-11-30" },
    { asOf: "2025-12-31" },
    { asOf: "2026-01-31" },
    { asOf: "2026-02-28" },
    { asOf: "2026-03-31" },
  ]);
});

test("its checks and adjustments are in every state, and its ledger is correct", async () => {
  const network = await makeNetwork(db);
  await seed(db, operator(network.id), wanted);
  const { rows: states } = await sql<{ status: string }>`
    select distinct status from payment_allocations where network_id = ${network.id} order by status`.execute(
    db,
  );
  expect(states.map(({ status }) => status)).toEqual(["approved", "denied", "pending"]);
  const { rows } = await sql<{ up: number; down: number; half: number }>`
    select count(*) filter (where cause = 'adjustment' and owed_cents > 0) as up,
      count(*) filter (where cause = 'adjustment' and owed_cents < 0) as down,
      (select count(*) from debits where network_id = ${network.id} and pending_cents = 0
        and balance_cents between 1 and amount_cents - 1) as half
    from entries where network_id = ${network.id}`.execute(db);
  for (const count of Object.values(rows[0] ?? {})) expect(count).toBeGreaterThan(0);
  expect(await broken()).toEqual([]);
});

test("the same seed makes the same records, another seed different ones", async () => {
  const [one, same, other] = [await makeNetwork(db), await makeNetwork(db), await makeNetwork(db)];
  await seed(db, operator(one.id), wanted);
  await seed(db, operator(same.id), wanted);
  await seed(db, operator(other.id), { ...wanted, seed: 8 });
  expect(await madeIn(same)).toEqual(await madeIn(one));
  expect(await madeIn(other)).not.toEqual(await madeIn(one));
});

test("a network can be seeded again, even after it has been billed", async () => {
  const network = await makeNetwork(db);
  await seed(db, operator(network.id), wanted);
  const again = await seed(db, operator(network.id), { ...wanted, attorneys: 10, months: 12 });
  expect(again).toMatchObject({ attorneys: 10 });
  expect(await findDueButNotBilled(db, network.admin, today)).toEqual([]);
  expect(await broken()).toEqual([]);
});

test("a seed may have no plans or no months", async () => {
  const network = await makeNetwork(db);
  const none = { enrolments: 0, debits: 0, checks: 0, adjustments: 0 };
  const attorneys = { ...wanted, attorneys: 3, plans: 0 };
  expect(await seed(db, operator(network.id), attorneys)).toEqual({
    ...none,
    attorneys: 3,
    plans: 0,
  });
  const planned = await seed(db, operator(network.id), { ...wanted, attorneys: 3, months: 0 });
  expect(planned).toMatchObject({ attorneys: 3, plans: 3, debits: 0 });
  expect(await findDueButNotBilled(db, network.admin, today)).toEqual([]);
});

test("nobody can sign in as a made-up attorney: a seed makes no accounts or passwords", async () => {
  const network = await makeNetwork(db);
  await seed(db, operator(network.id), { ...wanted, months: 0 });
  const { rows } = await sql`
    select from users where network_id = ${network.id} and role = 'attorney'
    union all select from accounts where network_id = ${network.id}`.execute(db);
  expect(rows).toEqual([]);
});
