import { expect } from "vitest";
import { Temporal } from "temporal-polyfill";
import { dayIn } from "#kit/domain/calendar.ts";
import { cents } from "#kit/domain/money.ts";
import { showCardPayment } from "#cards/contract.ts";
import { makeAttorney } from "#tests/support/records/attorneys.ts";
import { makeDebit } from "#tests/support/records/dues.ts";
import { changeCredit, changeMoneySettings } from "#dues/ledger/contract.ts";
import { admin, app, appTest, network } from "#tests/support/app-test.ts";
import { aFoundCharge } from "#tests/support/found-charges.ts";
import { expectSoundLedger, killAtEveryStatement } from "#tests/support/killed-processes.ts";
import { creditOf, standingOf } from "#tests/support/ledger.ts";

/*
 * A process that records an event of a card payment is killed after each of its statements: nothing is
 * recorded until the last one, and the repeat records all of it once.
 */

const test = appTest({ network: { timeZone: "UTC" } });
const today = dayIn("UTC", Temporal.Now.instant()).toString();
const testOptions = { timeout: 600_000 };

/** A card payment of $80.00: $50.00 for a debit, and $30.00 of credit, of which $10.00 pays another debit. */
async function aPayment() {
  const attorney = await makeAttorney(app.db, network);
  const debit = await makeDebit(app.db, network, attorney);
  const key = await aFoundCharge(app.db, network, { attorneyId: attorney.id, amountCents: 8000 });
  const settings = { applies_credit_automatically: false, chargeback_fee: "15.00" };
  await admin.call(changeMoneySettings, { body: settings });
  const other = await makeDebit(app.db, network, attorney);
  await admin.call(changeCredit, {
    params: { id: attorney.id },
    body: { action: "apply", debit_id: other, amount: "10.00" },
  });
  const standing = async () => ({
    owed: [(await standingOf(app.db, debit)).balance, (await standingOf(app.db, other)).balance],
    credit: await creditOf(app.db, attorney.id),
    transactions: (
      await admin.call(showCardPayment, { params: { id: key.paymentId } })
    ).transactions.map(({ kind, amount }) => `${kind} ${amount}`),
  });
  return { key, standing };
}

test(
  "a chargeback recorded by hand is all or nothing, wherever it is killed",
  testOptions,
  async () => {
    const { key, standing } = await aPayment();
    const body = { kind: "chargeback", amount: "80.00", on: today, fee: "15.00" };
    const byHand = { id: key.paymentId, body };
    const statements = await killAtEveryStatement(
      { app, network },
      { byHand },
      /At most \$0\.00 can be recorded/,
    );
    expect(statements).toBeGreaterThan(12);
    expect(await standing()).toEqual({
      owed: [5000, 5000],
      credit: 0,
      transactions: ["purchase 8000", "chargeback 8000"],
    });
    await expectSoundLedger({ app, network });
  },
);

test(
  "an event reported by a processor is all or nothing, and recorded once",
  testOptions,
  async () => {
    const { key, standing } = await aPayment();
    const event = { on: null, reference: null };
    const since = [
      { ...event, kind: "refund", amountCents: cents(4000), processorId: "R1" },
      { ...event, kind: "chargeback", amountCents: cents(2000), processorId: "D1" },
      { ...event, kind: "chargeback_reversed", amountCents: cents(2000), processorId: "D2" },
    ];
    const charge = { transactionId: "T1", amountCents: cents(8000), card: null };
    const found = { key, outcome: { kind: "approved", ...charge, since } };
    const statements = await killAtEveryStatement({ app, network }, { found }, /^done$/);
    expect(statements).toBeGreaterThan(12);
    expect(await standing()).toEqual({
      owed: [1000, 5000],
      credit: 0,
      transactions: ["purchase 8000", "refund 4000", "chargeback 2000", "chargeback_reversed 2000"],
    });
    await expectSoundLedger({ app, network });
  },
);
