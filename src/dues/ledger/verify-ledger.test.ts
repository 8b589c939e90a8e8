import { type RawBuilder, sql } from "kysely";
import { beforeEach, expect } from "vitest";
import { plainDate } from "#kit/domain/calendar.ts";
import { cents } from "#kit/domain/money.ts";
import { type Db } from "#kit/db/database.ts";
import { inTransaction } from "#kit/db/transaction.ts";
import { createDueDebits } from "#dues/ledger/billing.ts";
import { ledgerChecks } from "#dues/ledger/ledger-checks.ts";
import { allChecks, verifyLedger } from "#dues/ledger/verify-ledger.ts";
import { adjust } from "#dues/ledger/adjustments.ts";
import { attorneyRecordQuery } from "#people/attorney-record.ts";
import { decideChecks, recordCheck } from "#payments/attorney-checks.ts";
import { type MadeAttorney } from "#main/demo/records/attorneys.ts";
import { makeAttorney } from "#tests/support/records/attorneys.ts";
import { type MadeNetwork } from "#main/demo/records/networks.ts";
import { makeNetwork } from "#tests/support/records/networks.ts";
import { makePlan } from "#main/demo/records/dues.ts";
import { makeDebit, makeEnrolment } from "#tests/support/records/dues.ts";
import { databaseTest, db } from "#tests/support/database-test.ts";

let network: MadeNetwork;
let attorney: MadeAttorney;
let debitId: number;

const test = databaseTest({ asOwner: true });

/** A network with a debit of $50.00: $10.00 paid by check 1, $20.00 pending with check 2, $5.00 added. */
beforeEach(async () => {
  network = await makeNetwork(db);
  attorney = await makeAttorney(db, network);
  debitId = await makeDebit(db, network, attorney);
  const { admin } = network;
  await inTransaction(db, async (tx) => {
    const pay = (check_number: string, amount: number) =>
      recordCheck(
        tx,
        admin,
        {
          wanted: {
            check_number,
            another_check: false,
            payment_hash: { [debitId]: cents(amount) },
          },
          today: plainDate("2026-11-21"),
        },
        (attorneyId) => attorneyRecordQuery(admin, attorneyId, plainDate("2026-11-21")),
      );
    await pay("1", 1000);
    const [share] = await sharesOf(tx);
    await decideChecks(tx, admin, { statuses: { [share?.id ?? 0]: "approved" } });
    await pay("2", 2000);
    await adjust(tx, admin, {
      debit_id: debitId,
      direction: "increase",
      amount: cents(500),
      adjustment_note: "",
    });
  });
});

const sharesOf = (tx: Db) =>
  tx
    .selectFrom("paymentAllocations")
    .select(["id", "checkNumber"])
    .where("debitId", "=", debitId)
    .orderBy("id")
    .execute();

/** The faults found in the network by the rules of debits and payments, by name of check. */
async function found(): Promise<Record<string, string[]>> {
  const results = await verifyLedger(db, network.id);
  expect(results.map(({ name }) => name)).toEqual(allChecks.map(({ name }) => name));
  return Object.fromEntries(
    results
      .filter(
        ({ name, offenders }) => offenders > 0 && ledgerChecks.some((one) => one.name === name),
      )
      .map(({ name, examples }) => [name, examples.map(({ offence }) => offence)]),
  );
}

/** Write with every trigger disabled, as an operator in psql could. */
async function damage(...statements: RawBuilder<unknown>[]): Promise<void> {
  const tables = ["enrolments", "debits", "entries", "payments", "payment_allocations"];
  const turnTriggers = (tx: Db, which: "enable" | "disable") =>
    sql
      .raw(tables.map((table) => `alter table ${table} ${which} trigger user`).join("; "))
      .execute(tx);
  await inTransaction(db, async (tx) => {
    await turnTriggers(tx, "disable");
    for (const statement of statements) await statement.execute(tx);
    await turnTriggers(tx, "enable");
  });
}

test("finds nothing wrong with a ledger that the product wrote", async () => {
  expect(await verifyLedger(db, null)).toMatchObject(allChecks.map(() => ({ offenders: 0 })));
});

test("finds a balance that differs from the sum of its entries", async () => {
  await damage(sql`update debits set balance_cents = 4000 where id = ${debitId}`);
  expect(await found()).toEqual({
    balances: [
      `debit ${debitId} of 50.00: balance 40.00, its entries add up to 45.00, charges: 1 of 50.00`,
    ],
  });
});

test("finds an entry that was removed", async () => {
  await damage(sql`delete from entries where debit_id = ${debitId} and cause = 'payment'`);
  const [paid] = await sharesOf(db);
  expect(await found()).toEqual({
    balances: [
      `debit ${debitId} of 50.00: balance 45.00, its entries add up to 55.00, charges: 1 of 50.00`,
    ],
    shares: [
      `share ${paid?.id} of 10.00, approved: 0 payment entries of 0.00, 0 reversals of 0.00`,
    ],
  });
});

test("finds a charge that is not the debit's amount", async () => {
  await damage(
    sql`update entries set amount_cents = 6000 where debit_id = ${debitId} and cause = 'charge'`,
  );
  expect(await found()).toEqual({
    balances: [
      `debit ${debitId} of 50.00: balance 45.00, its entries add up to 55.00, charges: 1 of 60.00`,
    ],
  });
});

test("finds a reservation that no undecided share explains", async () => {
  await damage(sql`update debits set pending_cents = 1500 where id = ${debitId}`);
  expect(await found()).toEqual({
    reservations: [`debit ${debitId}: pending 15.00, undecided shares of 20.00, balance 45.00`],
  });
});

test("finds a check that was decided without its entry", async () => {
  await damage(
    sql`update payment_allocations set status = 'approved', decided_at = now()
      where debit_id = ${debitId} and check_number = '2'`,
  );
  const [, second] = await sharesOf(db);
  expect(await found()).toEqual({
    reservations: [`debit ${debitId}: pending 20.00, undecided shares of 0.00, balance 45.00`],
    shares: [
      `share ${second?.id} of 20.00, approved: 0 payment entries of 0.00, 0 reversals of 0.00`,
    ],
  });
});

test("finds an entry on another debit than its share", async () => {
  const other = await makeDebit(db, network, attorney);
  await damage(
    sql`update entries set debit_id = ${other} where debit_id = ${debitId} and cause = 'payment'`,
  );
  const broken = await found();
  expect(Object.keys(broken)).toEqual(["balances", "shares"]);
  expect(broken["balances"]).toHaveLength(2);
});

test("finds a debit with another day or amount than the schedule", async () => {
  await damage(sql`update debits set due_on = '2026-02-01' where id = ${debitId}`);
  const broken = await found();
  expect(Object.keys(broken)).toEqual(["schedule"]);
  expect(broken["schedule"]?.[0]).toContain("due 2026-02-01 for 50.00, should be due 2026-01-31");
  await damage(
    sql`update debits set due_on = '2026-01-31', amount_cents = 5100, balance_cents = 4600 where id = ${debitId}`,
  );
  expect(Object.keys(await found())).toEqual(["balances", "schedule"]);
});

test("finds a debit for a period before the enrolment was made", async () => {
  await damage(sql`
    update enrolments set enrolled_on = '2026-02-05', first_period = 1
    where id = (select enrolment_id from debits where id = ${debitId})`);
  const broken = await found();
  expect(Object.keys(broken)).toEqual(["schedule"]);
  expect(broken["schedule"]?.[0]).toContain("starting with period 1");
});

test("finds a payment that is not the sum of its shares", async () => {
  await damage(
    sql`update payments set amount_cents = 1001 where network_id = ${network.id} and check_number = '1'`,
  );
  const broken = await found();
  expect(Object.keys(broken)).toEqual(["payments"]);
  expect(broken["payments"]?.[0]).toMatch(/payment \d+ of 10\.01: its shares add up to 10\.00/);
});

test("finds a missing adjustment, and one with another amount, by comparing with Activity", async () => {
  const { id } = await db
    .selectFrom("entries")
    .select("id")
    .where("debitId", "=", debitId)
    .where("cause", "=", "adjustment")
    .executeTakeFirstOrThrow();
  const offence = `adjustment ${id} of debit ${debitId} from 40.00 to 45.00: `;
  await damage(
    sql`update entries set amount_cents = 100 where id = ${id}`,
    sql`update debits set balance_cents = 4100 where id = ${debitId}`,
  );
  expect(await found()).toEqual({ adjustments: [`${offence}its entry is 1.00`] });
  await damage(
    sql`delete from entries where id = ${id}`,
    sql`update debits set balance_cents = 4000 where id = ${debitId}`,
  );
  expect(await found()).toEqual({ adjustments: [`${offence}it has no entry`] });
});

test("finds a billing run that records more than it created", async () => {
  const run = await db
    .insertInto("billingRuns")
    .values({
      networkId: network.id,
      asOf: "2026-01-31",
      startedBy: "Test",
      debits: 1,
      amountCents: cents(5000),
    })
    .returning("id")
    .executeTakeFirstOrThrow();
  expect(await found()).toEqual({
    "billing runs": [`billing run ${run.id} says 1 debits of 50.00, there are 0 of 0.00`],
  });
});

test("many offenders are counted, and a hundred listed", async () => {
  const plan = await makePlan(db, network);
  for (let made = 0; made < 101; made += 1) await makeEnrolment(db, attorney, plan);
  await createDueDebits(db, { networkId: network.id, asOf: plainDate("2026-01-31") });
  await damage(
    sql`update debits set balance_cents = balance_cents + 1 where network_id = ${network.id}`,
  );
  const [balances] = await verifyLedger(db, network.id);
  expect(balances).toMatchObject({ name: "balances", offenders: 102 });
  expect(balances?.examples).toHaveLength(100);
});

/* The rest tests rules that constraints enforce, with the constraints removed. */

test("finds a period billed twice", async () => {
  await damage(
    sql`alter table debits drop constraint debits_once_a_period`,
    sql`insert into debits (network_id, attorney_id, enrolment_id, period, due_on, amount_cents, balance_cents, income_account)
      select network_id, attorney_id, enrolment_id, period, due_on, amount_cents, 0, income_account from debits where id = ${debitId}`,
  );
  const broken = await found();
  expect(Object.keys(broken)).toEqual(["balances", "periods"]);
  expect(broken["periods"]?.[0]).toMatch(/enrolment \d+, period 0: debits \d+, \d+/);
});

test("finds more pending than owed", async () => {
  await damage(
    sql`alter table debits drop constraint debits_pending_within_balance`,
    sql`update debits set pending_cents = 4600 where id = ${debitId}`,
    sql`update payment_allocations set amount_cents = 4600 where debit_id = ${debitId} and status = 'pending'`,
    sql`update payments set amount_cents = 4600 where network_id = ${network.id} and check_number = '2'`,
  );
  expect(await found()).toEqual({
    reservations: [`debit ${debitId}: pending 46.00, undecided shares of 46.00, balance 45.00`],
  });
});

test("finds a payment with a debit of another attorney", async () => {
  const stranger = await makeAttorney(db, network);
  await damage(
    sql`alter table payment_allocations
      drop constraint payment_allocations_network_id_attorney_id_payment_id_fkey`,
    sql`update payments set attorney_id = ${stranger.id} where network_id = ${network.id} and check_number = '2'`,
  );
  const broken = await found();
  expect(Object.keys(broken)).toEqual(["owners"]);
  expect(broken["owners"]?.[0]).toContain(
    `of attorney ${stranger.id}, debit ${debitId} of attorney ${attorney.id}`,
  );
});

test("finds entries of a deleted debit", async () => {
  const lost = await makeDebit(db, network, attorney);
  await damage(
    sql`alter table entries drop constraint entries_debit`,
    sql`delete from debits where id = ${lost}`,
  );
  expect(await found()).toEqual({
    balances: [`entries of debit ${lost}, which does not exist`],
  });
});
