import { expect } from "vitest";
import { plainDate } from "#kit/domain/calendar.ts";
import { cents } from "#kit/domain/money.ts";
import { recordWholeCheck } from "#payments/checks/record-check.ts";
import { lockPayingAttorney } from "#cards/reconcile/found-charges.ts";
import { lockDebitsToPay } from "#payments/payments.ts";
import { app } from "#tests/support/app-test.ts";
import { aDebtor } from "#tests/support/card-network.ts";
import { cardTest } from "#tests/support/card-test.ts";
import { standingOf } from "#tests/support/ledger.ts";
import { waitingForLocks } from "#tests/support/lock-waits.ts";
import { liftTimeLimits } from "#tests/support/running-app.ts";
import { todayInNewYork } from "#tests/support/today.ts";

const test = cardTest({ connections: 8 });
test.beforeAll(async () => {
  await liftTimeLimits(app);
});

test("a check waits for the same attorney's card payment before it locks any debit", async () => {
  const { network, attorney, debits } = await aDebtor(app, "anet");
  const [debitId = 0] = debits;
  const isHeld = Promise.withResolvers<void>();
  const payment = app.db.transaction().execute(async (tx) => {
    await lockPayingAttorney(tx, network.id, attorney.id);
    isHeld.resolve();
    await expect.poll(() => waitingForLocks(app.db)).toBe(1);
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
        another_check: false,
        note: "",
      },
      plainDate(todayInNewYork()),
    ),
  );
  await Promise.all([payment, check]); // a deadlock would end one of them
  expect(await standingOf(app.db, debitId)).toEqual({ balance: 5_000, pending: 100 });
});
