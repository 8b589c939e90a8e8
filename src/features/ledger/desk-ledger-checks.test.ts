import { type RawBuilder, sql } from "kysely";
import { beforeEach, expect } from "vitest";
import { plainDate } from "#domain/calendar.ts";
import { cents } from "#domain/money.ts";
import { inTransaction } from "#db/transaction.ts";
import { adjust } from "#features/ledger/adjustments.ts";
import { verifyLedger } from "#features/ledger/verify-ledger.ts";
import { undoEnrollAll } from "#features/subscriptions/enrolment-batches.ts";
import { enrollAll } from "#features/subscriptions/enrolments.ts";
import { databaseTest, db } from "#tests/support/database-test.ts";
import {
  aChargedDebit,
  aCheck,
  bounceCheck,
  decideCheck,
  spendCredit,
} from "#tests/support/desk.ts";
import { makeAttorney, type MadeAttorney } from "#features/demo/records/attorneys.ts";
import { makePlan } from "#features/demo/records/dues.ts";
import { makeNetwork, type MadeNetwork } from "#features/demo/records/networks.ts";

let network: MadeNetwork;
let attorney: MadeAttorney;
let debit: number;
let other: number;
let check: number;

const test = databaseTest({ asOwner: true });

/** Two charges of $25.00: check C1 paid $10.00 of the first and brought $20.00 of credit, $5.00 of which pays the other. */
beforeEach(async () => {
  network = await makeNetwork(db);
  attorney = await makeAttorney(db, network);
  debit = await aChargedDebit(db, network, attorney);
  other = await aChargedDebit(db, network, attorney);
  check = await aCheck(db, network, {
    number: "C1",
    parts: [{ attorneyId: attorney.id, shares: { [debit]: 1000 }, creditCents: 2000 }],
  });
  await decideCheck(db, network, check, "approved");
  await spendCredit(db, network, attorney.id, { amountCents: 500, debitId: other });
});

async function found(): Promise<Record<string, string[]>> {
  const results = await verifyLedger(db, network.id);
  const wrong = results.filter(({ offenders }) => offenders > 0);
  return Object.fromEntries(
    wrong.map(({ name, examples }) => [name, examples.map(({ offence }) => offence)]),
  );
}

/** Write past every trigger, as an operator in despair might. */
async function damage(...statements: RawBuilder<unknown>[]): Promise<void> {
  const tables = [
    "ledger_entries",
    "credit_entries",
    "credits",
    "received_checks",
    "charges",
    "debits",
    "enrolments",
  ];
  const turn = (which: string) =>
    tables.map((table) => `alter table ${table} ${which} trigger user`).join("; ");
  await inTransaction(db, async (tx) => {
    await sql.raw(turn("disable")).execute(tx);
    for (const statement of statements) await statement.execute(tx);
    await sql`set constraints all immediate`.execute(tx);
    await sql.raw(turn("enable")).execute(tx);
  });
}

test("what the money desk wrote is whole, before a check comes back and after", async () => {
  expect(await found()).toEqual({});
  await bounceCheck(db, network, check);
  expect(await found()).toEqual({});
});

test("finds a check that is not the sum of its payments", async () => {
  await damage(sql`update received_checks set amount_cents = 3100 where id = ${check}`);
  expect(await found()).toEqual({
    checks: [
      `check C1 (${check}) of 31.00, approved: its payments come to 30.00, shares approved, credit left 15.00`,
    ],
  });
});

test("finds a check that does not stand as its shares do", async () => {
  await damage(sql`update received_checks set status = 'denied' where id = ${check}`);
  expect(await found()).toEqual({
    checks: [
      `check C1 (${check}) of 30.00, denied: its payments come to 30.00, shares approved, credit left 15.00`,
    ],
  });
});

test("finds what a returned check left", async () => {
  await bounceCheck(db, network, check);
  await damage(sql`update credits set left_cents = 100 where network_id = ${network.id}`);
  const broken = await found();
  expect(Object.keys(broken)).toEqual(["checks", "credit", "receivables"]);
  expect(broken["checks"]?.[0]).toContain("returned: its payments come to 30.00");
  expect(broken["checks"]?.[0]).toContain("credit left 1.00");
});

test("finds credit that its entries do not come to", async () => {
  await damage(sql`update credits set left_cents = 1600 where network_id = ${network.id}`);
  const broken = await found();
  expect(Object.keys(broken)).toEqual(["credit", "receivables"]);
  expect(broken["credit"]?.[0]).toMatch(
    /^credit \d+ of 20\.00: left 16\.00, its entries come to 15\.00, received 20\.00$/,
  );
  expect(broken["receivables"]).toEqual([
    `attorney ${attorney.id}: owes 35.00, by the journal 35.00; credit 16.00, by the journal 15.00`,
  ]);
});

test("finds credit below zero", async () => {
  await damage(
    sql`alter table credits drop constraint credits_check, drop constraint if exists credits_left_cents_check`,
    sql`update credits set left_cents = -100 where network_id = ${network.id}`,
    sql`update credit_entries set amount_cents = -2100 where network_id = ${network.id} and kind = 'applied'`,
    sql`update ledger_entries set amount_cents = -2100 where kind = 'credit' and debit_id = ${other}`,
    sql`update debits set balance_cents = 400 where id = ${other}`,
  );
  const broken = await found();
  expect(Object.keys(broken)).toEqual(["credit"]);
  expect(broken["credit"]?.[0]).toContain("left -1.00");
});

test("finds applied credit that no debit's ledger has", async () => {
  await damage(
    sql`delete from ledger_entries where kind = 'credit' and debit_id = ${other}`,
    sql`update debits set balance_cents = 2500 where id = ${other}`,
  );
  const broken = await found();
  expect(Object.keys(broken)).toEqual(["applied credit", "receivables"]);
  expect(broken["applied credit"]?.[0]).toMatch(
    new RegExp(`^credit entry \\d+ of -5\\.00 on debit ${other}: no ledger entry$`),
  );
  expect(broken["receivables"]).toEqual([
    `attorney ${attorney.id}: owes 40.00, by the journal 40.00; credit 15.00, by the journal 20.00`,
  ]);
});

test("finds a charge without its debit, and one of another amount", async () => {
  const { id } = await db
    .insertInto("charges")
    .values({
      networkId: network.id,
      name: "Course",
      amountCents: 100 as never,
      dueOn: "2026-05-01",
    })
    .returning("id")
    .executeTakeFirstOrThrow();
  const { rows } = await sql<{ chargeId: number }>`
    select charge_id from debits where id = ${other}`.execute(db);
  await damage(sql`update charges set amount_cents = 2600 where id = ${rows[0]?.chargeId}`);
  expect(await found()).toEqual({
    charges: [
      `charge ${rows[0]?.chargeId} of 26.00 due 2026-05-01: attorney ${attorney.id} has 1 debits of 25.00 due 2026-05-01`,
      `charge ${id} of 1.00 due 2026-05-01: no debit`,
    ].toSorted(),
  });
});

test("finds a balance that the journal does not come to", async () => {
  await damage(sql`update debits set balance_cents = 100 where id = ${debit}`);
  const broken = await found();
  expect(Object.keys(broken)).toEqual(["balances", "receivables"]);
  expect(broken["receivables"]).toEqual([
    `attorney ${attorney.id}: owes 21.00, by the journal 35.00; credit 15.00, by the journal 15.00`,
  ]);
});

/** Two attorneys subscribed and billed, one debit paid from credit of $15.00, and all of it undone. Answers the batch. */
async function undoneBatch(): Promise<{ batchId: number; enrolment: number; undone: number }> {
  await makeAttorney(db, network);
  const plan = await makePlan(db, network);
  const terms = { lrs_subscription_id: plan.id, start_date: "2026-05-10", bill_immediately: true };
  const { batchId } = await inTransaction(db, (tx) =>
    enrollAll(tx, network.admin, { ...terms, note: "" }, plainDate("2026-05-10")),
  );
  await inTransaction(db, (tx) => undoEnrollAll(tx, network.admin, batchId));
  const { firstEnrolmentId } = await db
    .selectFrom("enrolmentBatches")
    .select("firstEnrolmentId")
    .where("id", "=", batchId)
    .executeTakeFirstOrThrow();
  const { id } = await db
    .selectFrom("debits")
    .select("id")
    .where("networkId", "=", network.id)
    .where("attorneyId", "=", attorney.id)
    .where("enrolmentId", "is not", null)
    .executeTakeFirstOrThrow();
  return { batchId, enrolment: firstEnrolmentId ?? 0, undone: id };
}

test("finds nothing in a Subscribe all that was undone, nor in what an adjustment added later", async () => {
  const { undone } = await undoneBatch();
  expect(await found()).toEqual({});
  const amounts = { direction: "increase" as const, amount: cents(300), adjustment_note: "" };
  await inTransaction(db, (tx) => adjust(tx, network.admin, { debit_id: undone, ...amounts }));
  await spendCredit(db, network, attorney.id, { amountCents: 200, debitId: undone });
  expect(await found()).toEqual({});
});

test("finds a Subscribe all of other enrolments than it says", async () => {
  const { batchId, enrolment } = await undoneBatch();
  await damage(sql`update enrolment_batches set enrolments = 3 where id = ${batchId}`);
  expect(await found()).toEqual({
    batches: [
      `Subscribe all ${batchId}, undone, says 3 enrolments, there are 2 from ${enrolment} to ${enrolment + 1}, active 0`,
    ],
  });
});

test("finds an attorney still enrolled by a Subscribe all that was undone", async () => {
  const { batchId, enrolment } = await undoneBatch();
  await damage(sql`update enrolments set archived_at = null where id = ${enrolment}`);
  expect(await found()).toEqual({
    batches: [
      `Subscribe all ${batchId}, undone, says 2 enrolments, there are 2 from ${enrolment} to ${enrolment + 1}, active 1`,
    ],
  });
});

test("finds what is owed on a debit of a Subscribe all that was undone", async () => {
  const { batchId, undone } = await undoneBatch();
  await damage(
    sql`delete from ledger_entries where kind = 'adjustment' and debit_id = ${undone}`,
    sql`update debits set balance_cents = 5000 where id = ${undone}`,
  );
  expect(await found()).toEqual({
    batches: [
      `debit ${undone} of Subscribe all ${batchId}, undone: its entries come to 50.00, payments to 0.00, credit to 0.00, pending 0.00`,
    ],
  });
});

test("finds credit that still pays a debit of a Subscribe all that was undone", async () => {
  const { batchId, undone } = await undoneBatch();
  await damage(
    sql`delete from ledger_entries where kind = 'credit' and amount_cents > 0 and debit_id = ${undone}`,
    sql`delete from credit_entries where kind = 'reversed' and debit_id = ${undone}`,
    sql`update ledger_entries set amount_cents = -3500 where kind = 'adjustment' and debit_id = ${undone}`,
    sql`update credits set left_cents = 0 where network_id = ${network.id}`,
  );
  expect(await found()).toEqual({
    batches: [
      `debit ${undone} of Subscribe all ${batchId}, undone: its entries come to 0.00, payments to 0.00, credit to -15.00, pending 0.00`,
    ],
  });
});
