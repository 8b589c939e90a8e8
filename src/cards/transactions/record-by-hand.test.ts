import { beforeEach, describe, expect } from "vitest";
import { Temporal } from "temporal-polyfill";
import { dayIn } from "#kit/domain/calendar.ts";
import { daysAfter, formatDay } from "#kit/domain/day.ts";
import { cents } from "#kit/domain/money.ts";
import { showAttorney } from "#people/contract.ts";
import {
  listCardPayments,
  recordCardTransaction,
  markChargebacksSeen,
  showCardPayment,
} from "#cards/contract.ts";
import { makeDebit } from "#tests/support/records/dues.ts";
import { makeNetwork } from "#tests/support/records/networks.ts";
import { closeBooks } from "#dues/ledger/journal/contract.ts";
import { changeCredit, changeMoneySettings, showCredit } from "#dues/ledger/contract.ts";
import { verifyLedger } from "#dues/ledger/verify-ledger.ts";
import { showReceipt } from "#payments/contract.ts";
import { listPayments } from "#payments/payments.list.ts";
import { showStatement } from "#dues/ledger/statements/contract.ts";
import { showOverview } from "#office/desk/today/contract.ts";
import { admin, app, appTest, attorney, network } from "#tests/support/app-test.ts";
import { aFoundCharge } from "#tests/support/found-charges.ts";
import { creditOf, ledgerOffences, standingOf } from "#tests/support/ledger.ts";
import { onDay } from "#tests/support/on-day.ts";
import { mailsOf } from "#tests/support/mails.ts";
import { signedIn } from "#tests/support/visitor.ts";

/* Refunds, chargebacks and won chargebacks that a processor does not report are entered by hand. */

const test = appTest({ network: { timeZone: "UTC" }, attorney: {} });
const today = () => dayIn("UTC", Temporal.Now.instant()).toString();

let params: { id: number };
let debits: number[];

/**
 * A card payment of $100.00: $50.00 for an older debit, $30.00 for a newer one, and $20.00 of credit, of
 * which $6.00 pays a third debit of $10.00 and $14.00 is unused.
 */
beforeEach(async () => {
  const owe = async (dollars: number) =>
    await makeDebit(app.db, network, attorney, { amountCents: cents(dollars * 100) });
  debits = [await owe(50), await owe(30)];
  const charge = { attorneyId: attorney.id, amountCents: 10_000 };
  params = { id: (await aFoundCharge(app.db, network, charge)).paymentId };
  await admin.call(changeMoneySettings, { body: { applies_credit_automatically: false } });
  debits.push(await owe(10));
  await admin.call(changeCredit, {
    params: { id: attorney.id },
    body: { action: "apply", debit_id: debits[2], amount: "6.00" },
  });
});

type Kind = "refund" | "chargeback" | "chargeback_reversed";

const enter = async (kind: Kind, amount: string, more: object = {}) =>
  await admin.ask(recordCardTransaction, {
    params,
    body: { kind, amount, on: today(), ...more },
  });

async function standing() {
  const owed = [];
  for (const debit of debits) owed.push((await standingOf(app.db, debit)).balance);
  const charges = await app.db
    .selectFrom("charges")
    .select(["name", "amountCents"])
    .where("networkId", "=", network.id)
    .orderBy("id")
    .execute();
  return {
    owed,
    credit: await creditOf(app.db, attorney.id),
    charged: charges.map(({ name, amountCents }) => `${name} ${amountCents}`),
  };
}

const offences = async () => [
  ...(await ledgerOffences(app.db, network.id)),
  ...(await verifyLedger(app.db, network.id)).filter(({ offenders }) => offenders > 0),
];

describe.each(["refund", "chargeback"] as const)("a %s of", (kind) => {
  test.each([
    ["$4.00 takes unused credit", "4.00", [0, 0, 400], 1000],
    ["$18.00 takes credit off the debit that it pays", "18.00", [0, 0, 800], 0],
    ["$25.00 opens the newest share after all credit", "25.00", [0, 500, 1000], 0],
    ["$60.00 opens the shares, newest first", "60.00", [1000, 3000, 1000], 0],
    ["the full amount opens all shares", "100.00", [5000, 3000, 1000], 0],
  ])("%s", async (_what, amount, owed, credit) => {
    expect((await enter(kind, amount)).status).toBe(200);
    expect(await standing()).toEqual({ owed, credit, charged: [] });
    expect(await offences()).toEqual([]);
  });
});

test("refunds and chargebacks have separate sums, each with its filter", async () => {
  await enter("refund", "10.00");
  await enter("chargeback", "30.00");
  await enter("chargeback_reversed", "5.00");
  const parts = [
    { status: "received", amount: 6500 },
    { status: "refunded", amount: 1000 },
    { status: "charged back", amount: 2500 },
  ];
  for (const status of [undefined, "refunded", "charged back", "partly refunded"] as const) {
    const { totals } = await admin.call(listPayments, { query: { ...(status && { status }) } });
    expect(totals).toEqual({ amount: 10_000, parts });
  }
  expect((await admin.call(listPayments, { query: { status: "failed" } })).total).toBe(0);
});

test("each refund emails how much of the payment was refunded, and how much of that was credit", async () => {
  for (const amount of ["3.00", "4.00", "25.00"]) await enter("refund", amount);
  const mails = await mailsOf(app.db, network);
  expect(mails.map(({ subject }) => subject)).toEqual([
    "Your card payment of $100.00 is received",
    "$3.00 of your card payment of $100.00 is refunded",
    "$4.00 of your card payment of $100.00 is refunded",
    "$25.00 of your card payment of $100.00 is refunded",
  ]);
  const bodies = mails.map(({ body }) => body);
  expect(bodies[0]).toContain("Credit on your account: $20.00");
  expect(bodies[1]).toContain("refunded. These amounts changed:\n\n  Credit removed: $3.00");
  expect(bodies[3]).toMatch(
    /refunded. These amounts changed:\n\n.*: \$12\.00\n {2}Credit removed: \$13\.00\n\n/,
  );
});

test("the history of credit says whether the card payment was refunded or charged back", async () => {
  await enter("refund", "4.00");
  await enter("chargeback", "5.00");
  const { entries } = await admin.call(showCredit, { params: { id: attorney.id } });
  expect(entries.slice(0, 2).map(({ amount, cause }) => [amount, cause])).toEqual([
    [-500, "The card payment was charged back"],
    [-400, "The card payment was refunded"],
  ]);
});

test("a statement has one line for each refund or chargeback, which keeps its reason", async () => {
  const gone = async () => {
    const { lines } = await admin.call(showStatement, {
      params: { id: attorney.id },
      query: { from: "2020-01-01" },
    });
    return lines
      .filter(({ kind, charge }) => kind === "reversal" && charge > 0)
      .map(({ description, charge }) => [description.replace(/ \(.*/, ""), charge]);
  };
  await enter("refund", "25.00");
  const refund = ["Refunded: Card payment", 500];
  expect(await gone()).toEqual([refund]);
  await enter("chargeback", "65.00"); // the rest of the newer share, and part of the older one
  const lines = [refund, ["Charged back: Card payment", 6500]];
  expect(await gone()).toEqual(lines);
  await enter("chargeback_reversed", "65.00");
  expect(await gone()).toEqual(lines);
});

test("after a partial refund, the record and the receipt show what is left of each share", async () => {
  await enter("refund", "25.00");
  const { onlinePayments } = await admin.call(showAttorney, { params: { id: attorney.id } });
  const left = onlinePayments.map(({ quantity, received }) => [quantity, received]);
  expect(left.toSorted(([a = 0], [b = 0]) => a - b)).toEqual([
    [3000, 2500],
    [5000, 5000],
  ]);
  expect(await admin.call(showReceipt, { params })).toMatchObject({
    status: "partly refunded",
    received: 7500,
    shares: [{ received: 5000 }, { received: 2500 }],
  });
});

test("a chargeback charges the fee, appears on Today until somebody has seen it, and emails nobody", async () => {
  const mails = await mailsOf(app.db, network);
  const waiting = async () => {
    const { attention } = await admin.call(showOverview);
    const listed = await admin.call(listCardPayments, { query: { chargeback: "unseen" } });
    const today = attention.find(({ kind }) => kind === "card_chargebacks")?.count ?? 0;
    return [today, listed.total];
  };
  await enter("chargeback", "100.00", { fee: "15.00", note: "Fraud, says the bank" });
  expect(await admin.call(showCardPayment, { params })).toMatchObject({
    state: "charged_back",
    status: "charged back",
    received: 0,
    transactions: [
      { kind: "purchase", amount: 10_000, by: "processor" },
      { kind: "chargeback", amount: 10_000, by: "hand", note: "Fraud, says the bank" },
    ],
  });
  expect((await standing()).charged).toEqual(["Chargeback fee 1500"]);
  expect(await waiting()).toEqual([1, 1]);
  await admin.call(markChargebacksSeen, { params });
  await admin.call(markChargebacksSeen, { params });
  expect(await waiting()).toEqual([0, 0]);
  expect(await mailsOf(app.db, network)).toEqual(mails);
});

test("two chargebacks of one payment are listed once, with their sum", async () => {
  await enter("chargeback", "30.00");
  await admin.call(markChargebacksSeen, { params });
  await enter("chargeback", "20.00");
  await enter("chargeback", "10.00");
  const { attention } = await admin.call(showOverview);
  expect(attention.find(({ kind }) => kind === "card_chargebacks")).toMatchObject({
    count: 1,
    amount: 3000,
  });
  const { items } = await admin.call(listCardPayments, { query: { chargeback: "unseen" } });
  expect(items).toMatchObject([{ id: params.id, unseenChargebacks: 3000 }]);
});

test("a won chargeback pays the debits again, and becomes credit where they have been paid otherwise", async () => {
  await enter("chargeback", "100.00");
  await admin.call(changeMoneySettings, { body: { applies_credit_automatically: true } });
  const other = { attorneyId: attorney.id, amountCents: 2000, transactionId: "T2" };
  await aFoundCharge(app.db, network, other); // pays $20.00 of the older debit
  expect((await standing()).owed).toEqual([3000, 3000, 1000]);
  await enter("chargeback_reversed", "100.00");
  expect(await admin.call(showCardPayment, { params })).toMatchObject({
    status: "paid",
    received: 10_000,
  });
  expect(await standing()).toMatchObject({ owed: [0, 0, 1000], credit: 4000 });
  expect(await offences()).toEqual([]);
});

test("part of a won chargeback pays the oldest share first", async () => {
  await enter("chargeback", "100.00");
  await enter("chargeback_reversed", "60.00");
  expect(await standing()).toMatchObject({ owed: [0, 2000, 1000], credit: 0 });
  expect(await offences()).toEqual([]);
});

describe("is refused:", () => {
  test.each([
    ["more than is received", "refund", "100.01", {}, 409, "amount"],
    ["more won than charged back", "chargeback_reversed", "0.01", {}, 409, "amount"],
    ["a date in the future", "refund", "1.00", { on: daysAfter(today(), 1) }, 422, "on"],
    ["a date before the card was charged", "refund", "1.00", { on: "2020-01-01" }, 422, "on"],
    ["the fee of a refund", "refund", "1.00", { fee: "15.00" }, 422, "fee"],
  ] as const)("%s", async (_what, kind, amount, more, status, path) => {
    const before = await standing();
    const reply = await enter(kind, amount, more);
    expect([reply.status, reply.errors?.[0]?.path]).toEqual([status, path]);
    expect(await standing()).toEqual(before);
    expect((await admin.call(showCardPayment, { params })).transactions).toHaveLength(1);
  });

  test("a date in closed books", async () => {
    const longAgo = { attorneyId: attorney.id, amountCents: 1000, transactionId: "T9" };
    params = await onDay(app.db, network, daysAfter(today(), -9), async (tx) => ({
      id: (await aFoundCharge(tx, network, longAgo)).paymentId,
    }));
    const yesterday = daysAfter(today(), -1);
    const of = { on: daysAfter(today(), -2) };
    await admin.call(closeBooks, { body: { through: of.on } });
    const message = `The books are closed through ${formatDay(of.on)}.`;
    expect(await enter("chargeback", "1.00", of)).toMatchObject({
      status: 422,
      errors: [{ path: "on", message }],
    });
    expect((await enter("chargeback", "1.00", { on: yesterday })).status).toBe(200);
  });

  test("one of two that together exceed the amount received", async () => {
    const replies = await Promise.all([
      enter("chargeback", "70.00"),
      enter("refund", "70.00"),
      enter("refund", "70.00"),
    ]);
    expect(replies.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409, 409]);
    expect(await offences()).toEqual([]);
  });

  test("a transaction of another network's card payment", async () => {
    const stranger = await signedIn(app, "admin", await makeNetwork(app.db));
    const body = { kind: "refund", amount: "1.00", on: today() };
    expect((await stranger.ask(recordCardTransaction, { params, body })).status).toBe(404);
    expect((await stranger.ask(markChargebacksSeen, { params })).status).toBe(404);
  });
});
