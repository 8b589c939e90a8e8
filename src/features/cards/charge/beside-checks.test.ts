import { sql } from "kysely";
import { expect } from "vitest";
import { plainDate } from "#domain/calendar.ts";
import { cents } from "#domain/money.ts";
import { recordWholeCheck as recordCheck } from "#features/checks/contract.ts";
import { recordWholeCheck } from "#features/checks/record-check.ts";
import { payByCard } from "#features/cards/contract.ts";
import { lockPayingAttorney } from "#features/cards/reconcile/unapplied.ts";
import { lockDebitsToPay } from "#features/payments/payments.ts";
import { inTransaction } from "#db/transaction.ts";
import { app } from "#tests/support/app-test.ts";
import { tokenFrom } from "#tests/support/card-browser.ts";
import { aDebtor, type Debtor } from "#tests/support/card-network.ts";
import { cardTest, sandboxes } from "#tests/support/card-test.ts";
import { ledgerOffences, standingOf } from "#tests/support/ledger.ts";
import { liftTimeLimits } from "#tests/support/running-app.ts";
import { rounds } from "#tests/support/rounds.ts";
import { todayInNewYork } from "#tests/support/today.ts";
import { signedIn } from "#tests/support/visitor.ts";

const connections = 8;
const test = cardTest({ connections });
test.beforeAll(async () => {
  await liftTimeLimits(app);
});

test("a check waits for a card payment of the same attorney before it holds any of the debits", async () => {
  const { network, attorney, debits } = await aDebtor(app, "anet");
  const [debitId = 0] = debits;
  const isHeld = Promise.withResolvers<void>();
  const payment = app.db.transaction().execute(async (tx) => {
    await lockPayingAttorney(tx, network.id, attorney.id);
    isHeld.resolve();
    await expect.poll(someoneWaits).toBe(true);
    await lockDebitsToPay(tx, network.admin, [{ debitId, amountCents: cents(100) }]);
  });
  await isHeld.promise;
  const check = app.db.transaction().execute((tx) =>
    recordWholeCheck(
      tx,
      network.admin,
      {
        attorney_id: attorney.id,
        check_number: "1020",
        amount: cents(100),
        received_on: todayInNewYork(),
        shares: { [debitId]: cents(100) },
        credits: {},
        approve: false,
        note: "",
      },
      plainDate(todayInNewYork()),
    ),
  );
  await Promise.all([payment, check]); // a deadlock would end one of them
  expect(await standingOf(app.db, debitId)).toEqual({ balance: 5_000, pending: 100 });
});

async function someoneWaits(): Promise<boolean> {
  const { rows } = await sql`
    select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.execute(
    app.db,
  );
  return rows.length > 0;
}

test("two clients who record checks and two who pay by card for one attorney never deadlock", async () => {
  const count = rounds(12, 400);
  const debtor = await aDebtor(app, "anet", [10_000_000, 10_000_000]);
  const admin = await signedIn(app, "admin", debtor.network);
  const shares = Object.fromEntries(debtor.debits.map((id) => [id, "1.00"]));
  const before = await deadlocks();
  const numbers = Array.from({ length: count }, (_, index) => index);
  const checks = async (client: string) => {
    for (const number of numbers) {
      const body = {
        attorney_id: debtor.attorney.id,
        check_number: `${client}-${number}`,
        amount: "2.00",
        received_on: todayInNewYork(),
        shares,
        approve: number % 2 === 0,
      };
      expect(await admin.ask(recordCheck, { body })).toMatchObject({ status: 200 });
    }
  };
  const cards = async (cardShares: Record<string, string>) => {
    for (const _ of numbers)
      expect(await payOnce(debtor, cardShares)).toMatchObject({ status: 200 });
  };
  const other = Object.fromEntries(debtor.debits.map((id) => [id, "1.50"]));
  await Promise.all([checks("A"), checks("B"), cards(shares), cards(other)]);
  expect(await deadlocks()).toBe(before);
  expect(await ledgerOffences(app.db, debtor.network.id)).toEqual([]);
});

async function payOnce({ visitor }: Debtor, shares: Record<string, string>) {
  const amount = Object.values(shares).reduce((sum, share) => sum + Number(share), 0);
  const token = await tokenFrom("anet", { visitor, sandboxes, amount: amount.toFixed(2) });
  return await visitor.ask(payByCard, { body: { payment_hash: shares, token } });
}

/** As PostgreSQL counts them. Each connection tells what it has counted: left alone, it may do so later. */
async function deadlocks(): Promise<number> {
  const allAreOpen = Promise.withResolvers<void>();
  let open = 0;
  await Promise.all(
    Array.from({ length: connections }, () =>
      inTransaction(app.db, async (tx) => {
        await sql`select pg_stat_force_next_flush()`.execute(tx);
        open += 1;
        if (open === connections) allAreOpen.resolve();
        await allAreOpen.promise;
      }),
    ),
  );
  const { rows } = await sql<{ deadlocks: number }>`
    select deadlocks from pg_stat_database where datname = current_database()`.execute(app.db);
  return rows[0]?.deadlocks ?? 0;
}
