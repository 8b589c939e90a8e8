import { describe, expect } from "vitest";
import {
  confirmCardPayment,
  listCardPayments,
  payByCard,
  recordCardTransaction,
  refundCard,
  showCardPayment,
} from "#cards/contract.ts";
import { lookUpCapturedPayments } from "#cards/reconcile/captured-payments.ts";
import { carryOutOpenRefunds } from "#cards/refund/refund-job.ts";
import type { ProcessorName } from "#cards/shapes.ts";
import { changeMoneySettings } from "#dues/ledger/contract.ts";
import { showOverview } from "#office/desk/today/contract.ts";
import { verifyLedger } from "#dues/ledger/verify-ledger.ts";
import { tokenFrom } from "#tests/support/card-browser.ts";
import { aDebtor, allProcessors, cardPaymentContext } from "#tests/support/card-network.ts";
import { ledgerOffences, standingOf } from "#tests/support/ledger.ts";
import { mailsOf } from "#tests/support/mails.ts";
import { signedIn } from "#tests/support/visitor.ts";
import { app } from "#tests/support/app-test.ts";
import { cardTest, sandboxes } from "#tests/support/card-test.ts";

/* Refunds and chargebacks made at the processor or the payer's bank are found and recorded once. */

let address: string;

const test = cardTest();
test.beforeAll(async () => {
  address = await app.server.listen({ port: 0, host: "127.0.0.1" });
});

type ByHand = "refund" | "chargeback" | "chargeback_reversed";

/** A settled card payment of $80.00: $50.00 for an older debit, $30.00 for a newer one. */
async function aPayment(processor: ProcessorName) {
  const { network, visitor, debits } = await aDebtor(app, processor);
  const [older = 0, newer = 0] = debits;
  const token = await tokenFrom(processor, { visitor, sandboxes, amount: "80.00" });
  const body = { payment_hash: { [older]: "50.00", [newer]: "30.00" }, token };
  await visitor.call(payByCard, { body });
  sandboxes[processor].settle();
  const admin = await signedIn(app, "admin", network);
  const [made] = (await admin.call(listCardPayments)).items;
  const params = { id: made?.id ?? 0 };
  const on = made?.transactions[0]?.on ?? "";
  const enter = async (kind: ByHand, amount: string) =>
    await admin.ask(recordCardTransaction, { params, body: { kind, amount, on } });
  return {
    admin,
    params,
    chargeId: made?.transactionId ?? "",
    askNow: () => admin.call(confirmCardPayment, { params }),
    dailyLook: (days = 1) =>
      lookUpCapturedPayments(cardPaymentContext(app, sandboxes, { laterMinutes: days * 25 * 60 })),
    listen: () =>
      sandboxes[processor].sendWebhooksTo(`${address}/webhooks/${processor}/${network.id}`),
    shown: async () => {
      const { received, status, transactions } = await admin.call(showCardPayment, { params });
      const happened = transactions.map(({ kind, amount, by }) => `${kind} ${amount} ${by}`);
      const owed = [];
      for (const debit of debits) owed.push((await standingOf(app.db, debit)).balance);
      return { received, status, happened, owed };
    },
    problem: async () => (await admin.call(showCardPayment, { params })).problem,
    ask: enter,
    enter: async (kind: ByHand, amount: string) =>
      expect((await enter(kind, amount)).status).toBe(200),
    waiting: async () => {
      const { attention } = await admin.call(showOverview);
      return attention.find(({ kind }) => kind === "card_chargebacks")?.count ?? 0;
    },
    fees: async () => {
      const charged = await app.db
        .selectFrom("charges")
        .select("amountCents")
        .where("networkId", "=", network.id)
        .where("name", "=", "Chargeback fee")
        .execute();
      return charged.map(({ amountCents }) => amountCents);
    },
    mails: async () =>
      (await mailsOf(app.db, network)).map(({ subject }) => subject.replace(/^.*\$80\.00 /, "")),
    offences: async () => [
      ...(await ledgerOffences(app.db, network.id)),
      ...(await verifyLedger(app.db, network.id)).filter(({ offenders }) => offenders > 0),
    ],
  };
}

const purchase = "purchase 8000 processor";
const partRefunded = {
  received: 6000,
  status: "partly refunded",
  happened: [purchase, "refund 2000 processor"],
  owed: [0, 2000],
};

/** PayPal's inquiry does not list credits made in PayPal Manager. */
const withRefunds = allProcessors.filter((name) => name !== "paypal_payflow_pro");

describe.each(withRefunds)("%s: a partial refund in its own pages", (processor) => {
  test("opens the newest share first, however often and however it is found", async () => {
    const { chargeId, ...payment } = await aPayment(processor);
    sandboxes[processor].refundAtProcessor(chargeId, 2000);
    await Promise.all([payment.askNow(), payment.askNow()]);
    expect(await payment.shown()).toEqual(partRefunded);
    await payment.askNow();
    await payment.dailyLook();
    expect(await payment.shown()).toEqual(partRefunded);
    sandboxes[processor].refundAtProcessor(chargeId, 4000);
    await payment.dailyLook(2);
    expect(await payment.shown()).toMatchObject({ received: 2000, owed: [3000, 3000] });
    sandboxes[processor].refundAtProcessor(chargeId, 2000);
    await payment.askNow();
    expect(await payment.shown()).toMatchObject({
      received: 0,
      status: "refunded",
      owed: [5000, 3000],
    });
    expect(await payment.offences()).toEqual([]);
  });

  test("counts once if somebody had entered it by hand", async () => {
    const { chargeId, params, admin, ...payment } = await aPayment(processor);
    sandboxes[processor].refundAtProcessor(chargeId, 2000);
    const made = await admin.call(showCardPayment, { params });
    const on = made.transactions[0]?.on ?? "";
    const body = { kind: "refund", amount: "20.00", on, note: "Seen there" };
    await admin.call(recordCardTransaction, { params, body });
    const byHand = { ...partRefunded, happened: [purchase, "refund 2000 hand"] };
    expect(await payment.shown()).toEqual(byHand);
    await payment.askNow();
    await payment.dailyLook();
    expect(await payment.shown()).toEqual(byHand);
    const { transactions } = await admin.call(showCardPayment, { params });
    expect(transactions[1]?.processorId).toMatch(/\w/);
    expect(await payment.offences()).toEqual([]);
  });

  test("counts once if several were entered by hand as one, and later ones are new", async () => {
    const { chargeId, ...payment } = await aPayment(processor);
    for (const part of [1000, 2000]) sandboxes[processor].refundAtProcessor(chargeId, part);
    await payment.enter("refund", "30.00");
    const byHand = [purchase, "refund 3000 hand"];
    await payment.askNow();
    await payment.dailyLook();
    expect(await payment.shown()).toMatchObject({ received: 5000, happened: byHand });
    sandboxes[processor].refundAtProcessor(chargeId, 500);
    await payment.askNow();
    await payment.dailyLook(2);
    const found = [...byHand, "refund 500 processor"];
    expect(await payment.shown()).toMatchObject({ received: 4500, happened: found });
    expect(await payment.offences()).toEqual([]);
  });

  test("counts up to what is left, with a problem to look at, and in full once more is received", async () => {
    const { chargeId, ...payment } = await aPayment(processor);
    await payment.enter("chargeback", "70.00");
    sandboxes[processor].refundAtProcessor(chargeId, 3000);
    await payment.askNow();
    expect(await payment.shown()).toMatchObject({ received: 0, status: "refunded" });
    expect(await payment.problem()).toMatch(
      /.+ reports refunds and chargebacks of more than this payment's amount/,
    );
    await payment.enter("chargeback_reversed", "70.00");
    await payment.askNow();
    await payment.askNow();
    expect(await payment.shown()).toMatchObject({ received: 5000, owed: [0, 3000] });
    expect(await payment.problem()).toBeNull();
    expect(await payment.offences()).toEqual([]);
  });
});

describe("a refund of ours whose answer is lost", () => {
  const askedFor = async () => {
    const payment = await aPayment("stripe");
    sandboxes.stripe.fail({ call: "refund", kind: "drop-after" });
    const body = { reason: "Too much", amount: "20.00" };
    expect((await payment.admin.ask(refundCard, { params: payment.params, body })).status).toBe(
      202,
    );
    return payment;
  };
  const answered = () =>
    carryOutOpenRefunds(cardPaymentContext(app, sandboxes, { laterMinutes: 5 }));

  test("is done once it is found at the processor", async () => {
    const payment = await askedFor();
    await payment.askNow();
    const { refund } = await payment.admin.call(showCardPayment, { params: payment.params });
    expect(refund?.state).toBe("done");
    const ours = { ...partRefunded, happened: [purchase, "refund 2000 here"] };
    expect(await payment.shown()).toEqual(ours);
    expect(await payment.offences()).toEqual([]);
    await answered();
    expect(await payment.shown()).toEqual(ours);
  });

  test("cannot be entered by hand until it is decided", async () => {
    const payment = await askedFor();
    expect(await payment.ask("refund", "20.00")).toMatchObject({
      status: 409,
      message:
        "A refund of this payment is being confirmed. It will be recorded when the card processor answers.",
    });
    await answered();
    expect(await payment.shown()).toMatchObject({ received: 6000 });
  });

  test("is a problem to look at if everything was charged back before", async () => {
    const payment = await askedFor();
    await payment.enter("chargeback", "80.00");
    await answered();
    expect(await payment.shown()).toMatchObject({ received: 0, status: "charged back" });
    expect(await payment.problem()).toMatch(/refunded and charged back/);
    expect(await payment.offences()).toEqual([]);
  });
});

test.each(["stripe", "anet"] as const)(
  "a partial refund in %s's own pages is found by its notice",
  async (processor) => {
    const { chargeId, ...payment } = await aPayment(processor);
    payment.listen();
    sandboxes[processor].refundAtProcessor(chargeId, 2000);
    await sandboxes.idle();
    expect(await payment.shown()).toEqual(partRefunded);
    await payment.askNow();
    expect(await payment.shown()).toEqual(partRefunded);
    expect(await payment.offences()).toEqual([]);
  },
);

test("Stripe's notices of a dispute open the debits, appear on Today, email nobody, and pay the debits again once it is won", async () => {
  const { chargeId, ...payment } = await aPayment("stripe");
  payment.listen();
  const mails = await payment.mails();
  sandboxes.stripe.dispute(chargeId, "open", 4000);
  await sandboxes.idle();
  const chargedBack = {
    received: 4000,
    happened: [purchase, "chargeback 4000 processor"],
    owed: [1000, 3000],
  };
  expect(await payment.shown()).toMatchObject(chargedBack);
  expect(await payment.waiting()).toBe(1);
  await payment.dailyLook();
  expect(await payment.shown()).toMatchObject(chargedBack);
  sandboxes.stripe.dispute(chargeId, "win");
  await sandboxes.idle();
  expect(await payment.shown()).toEqual({
    received: 8000,
    status: "paid",
    happened: [...chargedBack.happened, "chargeback_reversed 4000 processor"],
    owed: [0, 0],
  });
  expect(await payment.mails()).toEqual(mails);
  expect(await payment.offences()).toEqual([]);
});

test("the network's chargeback fee is charged once for a dispute, and not for one entered by hand", async () => {
  for (const enteredFirst of [false, true]) {
    const { chargeId, admin, ...payment } = await aPayment("stripe");
    await admin.call(changeMoneySettings, { body: { chargeback_fee: "15.00" } });
    if (enteredFirst) await payment.enter("chargeback", "30.00");
    payment.listen();
    sandboxes.stripe.dispute(chargeId, "open", 4000);
    await sandboxes.idle();
    await payment.dailyLook();
    expect(await payment.shown()).toMatchObject({ received: 4000 });
    expect(await payment.fees()).toEqual(enteredFirst ? [] : [1500]);
    expect(await payment.offences()).toEqual([]);
  }
});

test("a lost dispute stays a full chargeback", async () => {
  const { chargeId, ...payment } = await aPayment("stripe");
  payment.listen();
  sandboxes.stripe.dispute(chargeId, "open");
  sandboxes.stripe.dispute(chargeId, "lose");
  await sandboxes.idle();
  expect(await payment.shown()).toEqual({
    received: 0,
    status: "charged back",
    happened: [purchase, "chargeback 8000 processor"],
    owed: [5000, 3000],
  });
  expect(await payment.offences()).toEqual([]);
});

test("a won chargeback returns no more than is recorded of it", async () => {
  const { chargeId, params, admin, ...payment } = await aPayment("stripe");
  const on = (await admin.call(showCardPayment, { params })).transactions[0]?.on ?? "";
  sandboxes.stripe.dispute(chargeId, "open", 4000);
  await payment.askNow();
  const body = { kind: "chargeback_reversed", amount: "10.00", on };
  await admin.call(recordCardTransaction, { params, body });
  sandboxes.stripe.dispute(chargeId, "win");
  await payment.askNow();
  expect(await payment.shown()).toMatchObject({ received: 8000, status: "paid", owed: [0, 0] });
  expect(await payment.offences()).toEqual([]);
});
