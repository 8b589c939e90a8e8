import { sql } from "kysely";
import { expect } from "vitest";
import { plainDate } from "#kit/domain/calendar.ts";
import { cents } from "#kit/domain/money.ts";
import { inTransaction } from "#kit/db/transaction.ts";
import { adjust } from "#dues/ledger/adjustments.ts";
import { undoEnrollAll } from "#dues/plans/enrolment-batches.ts";
import { enrollAll } from "#dues/plans/enrolments.ts";
import { db } from "#tests/support/database-test.ts";
import { bounceCheck, spendCredit } from "#tests/support/check-records.ts";
import { makeAttorney } from "#tests/support/records/attorneys.ts";
import { makePlan } from "#main/demo/records/dues.ts";
import {
  attorney,
  check,
  creditOfCheck,
  damage,
  damagedLedgerTest,
  debit,
  found,
  network,
  other,
} from "#tests/support/damaged-ledger.ts";

const test = damagedLedgerTest();

test("finds nothing wrong with what the product wrote, before a check is returned and after", async () => {
  expect(await found()).toEqual({});
  await bounceCheck(db, network, check);
  expect(await found()).toEqual({});
});

test("finds a check that is not the sum of its payments", async () => {
  await damage(sql`update received_checks set amount_cents = 3100 where id = ${check}`);
  expect(await found()).toEqual({
    checks: [
      `check C1 (${check}) of 31.00, approved: its payments add up to 30.00, shares approved, credit left 15.00, brought 30.00`,
    ],
  });
});

test("finds a check whose status differs from its shares', and its credit without a check", async () => {
  await damage(sql`update received_checks set status = 'denied' where id = ${check}`);
  expect(await found()).toEqual({
    cash: ["undeposited: 30.00 by the entries, 10.00 by checks, deposits and cards"],
    checks: [
      `check C1 (${check}) of 30.00, denied: its payments add up to 30.00, shares approved, credit left 15.00, brought 30.00`,
    ],
    "credit of checks": creditOfCheck("denied", "20.00"),
  });
});

test("finds what a returned check left", async () => {
  await bounceCheck(db, network, check);
  await damage(sql`update credits set left_cents = 100 where network_id = ${network.id}`);
  const broken = await found();
  expect(Object.keys(broken)).toEqual(["checks", "credit", "receivables"]);
  expect(broken["checks"]?.[0]).toContain("returned: its payments add up to 30.00");
  expect(broken["checks"]?.[0]).toContain("credit left 1.00");
});

test("finds credit that differs from the sum of its entries", async () => {
  await damage(sql`update credits set left_cents = 1600 where network_id = ${network.id}`);
  const broken = await found();
  expect(Object.keys(broken)).toEqual(["credit", "receivables"]);
  expect(broken["credit"]?.[0]).toMatch(
    /^credit \d+ of 20\.00: left 16\.00, its entries add up to 15\.00, received 20\.00$/,
  );
  expect(broken["receivables"]).toEqual([
    `attorney ${attorney.id}: owes 35.00, by the entries 35.00; credit 16.00, by the entries 15.00`,
  ]);
});

test("finds credit below zero", async () => {
  await damage(
    sql`alter table credits drop constraint credits_check, drop constraint if exists credits_left_cents_check`,
    sql`update credits set left_cents = -100 where network_id = ${network.id}`,
    sql`update entries set amount_cents = 2100 where cause = 'credit_applied' and debit_id = ${other}`,
    sql`update debits set balance_cents = 400 where id = ${other}`,
  );
  const broken = await found();
  expect(Object.keys(broken)).toEqual(["credit"]);
  expect(broken["credit"]?.[0]).toContain("left -1.00");
});

test("finds applied credit that was removed from its debit", async () => {
  await damage(
    sql`delete from entries where cause = 'credit_applied' and debit_id = ${other}`,
    sql`update debits set balance_cents = 2500 where id = ${other}`,
  );
  const broken = await found();
  expect(Object.keys(broken)).toEqual(["credit", "receivables"]);
  expect(broken["receivables"]).toEqual([
    `attorney ${attorney.id}: owes 40.00, by the entries 40.00; credit 15.00, by the entries 20.00`,
  ]);
});

test("finds a charge without its debit, and one with another amount", async () => {
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

test("finds a balance that differs from the sum of its entries", async () => {
  await damage(sql`update debits set balance_cents = 100 where id = ${debit}`);
  const broken = await found();
  expect(Object.keys(broken)).toEqual(["balances", "receivables"]);
  expect(broken["receivables"]).toEqual([
    `attorney ${attorney.id}: owes 21.00, by the entries 35.00; credit 15.00, by the entries 15.00`,
  ]);
});

/** Two attorneys subscribed and billed, one debit paid from $15.00 of credit, then undone. Returns the batch. */
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

test("finds nothing wrong in an undone Subscribe all, or in a later adjustment", async () => {
  const { undone } = await undoneBatch();
  expect(await found()).toEqual({});
  const amounts = { direction: "increase" as const, amount: cents(300), adjustment_note: "" };
  await inTransaction(db, (tx) => adjust(tx, network.admin, { debit_id: undone, ...amounts }));
  await spendCredit(db, network, attorney.id, { amountCents: 200, debitId: undone });
  expect(await found()).toEqual({});
});

test("finds a Subscribe all with other enrolments than it records", async () => {
  const { batchId, enrolment } = await undoneBatch();
  await damage(sql`update enrolment_batches set enrolments = 3 where id = ${batchId}`);
  expect(await found()).toEqual({
    batches: [
      `Subscribe all ${batchId}, undone, says 3 enrolments, there are 2 from ${enrolment} to ${enrolment + 1}, active 0`,
    ],
  });
});

test("finds an attorney still enrolled by an undone Subscribe all", async () => {
  const { batchId, enrolment } = await undoneBatch();
  await damage(sql`update enrolments set archived_at = null where id = ${enrolment}`);
  expect(await found()).toEqual({
    batches: [
      `Subscribe all ${batchId}, undone, says 2 enrolments, there are 2 from ${enrolment} to ${enrolment + 1}, active 1`,
    ],
  });
});

test("finds a balance on a debit of an undone Subscribe all", async () => {
  const { batchId, undone } = await undoneBatch();
  await damage(
    sql`delete from entries where cause = 'adjustment' and debit_id = ${undone}`,
    sql`update debits set balance_cents = 5000 where id = ${undone}`,
  );
  expect(await found()).toEqual({
    batches: [
      `debit ${undone} of Subscribe all ${batchId}, undone: its entries add up to 50.00, payments to 0.00, credit to 0.00, pending 0.00`,
    ],
  });
});

test("finds credit that still pays a debit of an undone Subscribe all", async () => {
  const { batchId, undone } = await undoneBatch();
  await damage(
    sql`delete from entries where cause = 'credit_taken_off' and debit_id = ${undone}`,
    sql`update entries set amount_cents = 3500 where cause = 'adjustment' and debit_id = ${undone}`,
    sql`update credits set left_cents = 0 where network_id = ${network.id}`,
  );
  expect(await found()).toEqual({
    batches: [
      `debit ${undone} of Subscribe all ${batchId}, undone: its entries add up to 0.00, payments to 0.00, credit to -15.00, pending 0.00`,
    ],
  });
});

test("finds a debit of an undone Subscribe all whose income was not reversed", async () => {
  const { batchId, undone } = await undoneBatch();
  await damage(
    sql`update entries set to_account = 'adjustments' where cause = 'adjustment' and debit_id = ${undone}`,
  );
  expect(await found()).toEqual({
    batches: [
      `debit ${undone} of Subscribe all ${batchId}, undone: its entries add up to 0.00, payments to 0.00, credit to 0.00, pending 0.00, off Adjustments`,
    ],
  });
});
