import { describe, expect } from "vitest";
import { cents } from "#kit/domain/money.ts";
import { confirmCardPayment, listCardPayments, payByCard, refundPayment } from "#cards/contract.ts";
import { confirmationJob } from "#cards/charge/locked-payment.ts";
import { fullRefundKind } from "#cards/processors/charge-events.ts";
import { processors } from "#cards/processors/processors.ts";
import { confirmPayment } from "#cards/reconcile/confirmation.ts";
import { accountOf } from "#cards/settings/card-accounts.ts";
import type { ProcessorName } from "#cards/shapes.ts";
import { tokenFrom } from "#tests/support/card-browser.ts";
import { aDebtor, allProcessors, cardPaymentContext } from "#tests/support/card-network.ts";
import { ledgerOffences, standingOf } from "#tests/support/ledger.ts";
import { signedIn } from "#tests/support/visitor.ts";
import { app } from "#tests/support/app-test.ts";
import { cardTest, sandboxes } from "#tests/support/card-test.ts";

/*
 * The refunds and chargebacks that each processor reports for a charge, including those made in its own
 * pages.
 */

let address: string;

const test = cardTest();
test.beforeAll(async () => {
  address = await app.server.listen({ port: 0, host: "127.0.0.1" });
});

async function aPayment(processor: ProcessorName) {
  const debtor = await aDebtor(app, processor);
  const { network, attorney, visitor } = debtor;
  const debit = debtor.debits[0] ?? 0;
  const token = await tokenFrom(processor, { visitor, sandboxes, amount: "50.00" });
  await visitor.call(payByCard, { body: { payment_hash: { [debit]: "50.00" }, token } });
  const admin = await signedIn(app, "admin", network);
  const shown = async () => {
    const [payment] = (await admin.call(listCardPayments)).items;
    if (!payment) throw new Error("There is no card payment.");
    return payment;
  };
  const { id, transactionId } = await shown();
  const key = { networkId: network.id, attorneyId: attorney.id, paymentId: id };
  return {
    network,
    chargeId: transactionId ?? "",
    /** Look up the payment and record the answer. */
    since: async () => {
      const context = cardPaymentContext(app, sandboxes);
      const { outcome } = await confirmPayment(context, key, confirmationJob(network.id));
      return outcome.kind === "approved" ? (outcome.since ?? []) : outcome;
    },
    askNow: () => admin.call(confirmCardPayment, { params: { id } }),
    refundHere: () => admin.ask(refundPayment, { params: { id }, body: { reason: "Paid twice" } }),
    /** The adapter's answer; nothing is recorded. */
    refundAtProcessor: async () => {
      const made = await app.db
        .selectFrom("cardPayments")
        .selectAll()
        .where("paymentId", "=", id)
        .executeTakeFirstOrThrow();
      const { account } = await accountOf(cardPaymentContext(app, sandboxes), made);
      const reference = "REFUND000001";
      const outcome = await processors[processor].voidOrRefund(account, {
        transactionId: transactionId ?? "",
        chargeReference: made.reference,
        amountCents: cents(5000),
        chargedCents: cents(5000),
        chargedAt: made.createdAt,
        lastFour: made.cardLastFour,
        reference,
        requestedAt: made.createdAt,
        wasAskedBefore: false,
        isRest: true,
        otherRefunds: [],
        processorId: null,
      });
      return { reference, processorId: outcome.kind === "done" ? outcome.processorId : outcome };
    },
    standing: async () => {
      const { state, refund } = await shown();
      const { balance } = await standingOf(app.db, debit);
      return { state, refund: refund?.state, balance };
    },
    refundedThere: () =>
      sandboxes[processor].charges().find((charge) => charge.id === transactionId)?.refundedCents,
    listen: () =>
      sandboxes[processor].sendWebhooksTo(`${address}/webhooks/${processor}/${network.id}`),
  };
}

const partOf = (balance: number) => ({ state: "captured", refund: "done", balance });
const returned = { state: "refunded", refund: "done", balance: 5000 };

/** Payflow's inquiry does not list credits made in PayPal Manager. */
const listsRefunds = (processor: ProcessorName) => processor !== "paypal_payflow_pro";
const withRefunds = allProcessors.filter(listsRefunds);

const refundOf = (amountCents: number) => ({
  kind: "refund",
  amountCents,
  on: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
  processorId: expect.stringMatching(/\w/),
  reference: null,
});

describe.each(withRefunds)("%s: a settled charge refunded in its own pages", (processor) => {
  test.each([
    ["in full", [5000], returned],
    ["in part", [2000], partOf(2000)],
    ["in two parts", [2000, 1000], partOf(3000)],
    ["in parts that add up to the full amount", [2000, 3000], returned],
  ])("%s is listed once, with its amount", async (_how, amounts, standing) => {
    const { chargeId, ...payment } = await aPayment(processor);
    sandboxes[processor].settle();
    for (const amount of amounts)
      expect(sandboxes[processor].refundAtProcessor(chargeId, amount)).toBe(true);
    const since = await payment.since();
    expect(since).toHaveLength(amounts.length);
    expect(since).toEqual(expect.arrayContaining(amounts.map(refundOf)));
    expect(await payment.standing()).toEqual(standing);
    sandboxes[processor].settle(); // the refunds too
    expect(await payment.since()).toEqual(since);
    expect(JSON.stringify(since)).not.toContain(chargeId);
    expect(await payment.standing()).toEqual(standing);
    expect(await ledgerOffences(app.db, payment.network.id)).toEqual([]);
  });

  test("is refunded here once somebody checks now", async () => {
    const { chargeId, ...payment } = await aPayment(processor);
    sandboxes[processor].settle();
    sandboxes[processor].refundAtProcessor(chargeId);
    expect(await payment.askNow()).toMatchObject({ state: "refunded" });
    expect(await payment.standing()).toEqual(returned);
  });

  test.each([
    ["in full is done when it is also refunded here", undefined],
    ["in part is refunded here for the rest", 2000],
  ])("%s", async (_what, amount) => {
    const { chargeId, ...payment } = await aPayment(processor);
    sandboxes[processor].settle();
    sandboxes[processor].refundAtProcessor(chargeId, amount);
    expect((await payment.refundHere()).status).toBe(200);
    expect(await payment.standing()).toEqual(returned);
    expect(payment.refundedThere()).toBe(5000);
    expect(await ledgerOffences(app.db, payment.network.id)).toEqual([]);
  });

  test("is not confused with another charge of the same card", async () => {
    const [refunded, other] = [await aPayment(processor), await aPayment(processor)];
    sandboxes[processor].settle();
    sandboxes[processor].refundAtProcessor(refunded.chargeId, 2000);
    expect(await other.since()).toEqual([]);
  });
});

test.each(["stripe", "lawpay"] as const)(
  "%s lists a partial refund made before the charge is settled",
  async (processor) => {
    const { chargeId, ...payment } = await aPayment(processor);
    sandboxes[processor].refundAtProcessor(chargeId, 2000);
    expect(await payment.since()).toEqual([refundOf(2000)]);
    expect((await payment.refundHere()).status).toBe(200);
    expect(payment.refundedThere()).toBe(5000);
  },
);

test.each(allProcessors.filter((name) => name !== "stripe"))(
  "%s lists a void in its own pages as a full refund",
  async (processor) => {
    const { chargeId, ...payment } = await aPayment(processor);
    expect(sandboxes[processor].voidAtProcessor(chargeId)).toBe(true);
    const whole = { kind: "refund", amountCents: 5000, processorId: chargeId, reference: null };
    expect(await payment.since()).toMatchObject([whole]);
    expect(await payment.since()).toMatchObject([whole]);
    expect(await payment.standing()).toEqual(returned);
  },
);

test.each(withRefunds)(
  "%s lists a refund requested here by the id in its answer, and by our reference",
  async (processor) => {
    const keepsReference = processor !== "elavon"; // a return has its sale's reference
    const payment = await aPayment(processor);
    sandboxes[processor].settle();
    const { processorId, reference } = await payment.refundAtProcessor();
    expect(processorId).toMatch(/\w/);
    const ours = { ...refundOf(5000), processorId, reference: keepsReference ? reference : null };
    expect(await payment.since()).toEqual([ours]);
  },
);

test("a credit made in PayPal Manager is not listed, and a refund here says to look there", async () => {
  const { chargeId, ...payment } = await aPayment("paypal_payflow_pro");
  sandboxes.paypal_payflow_pro.settle();
  sandboxes.paypal_payflow_pro.refundAtProcessor(chargeId);
  expect(await payment.since()).toEqual([]);
  expect(await payment.refundHere()).toMatchObject({
    status: 422,
    message: expect.stringContaining("already credited in PayPal Manager"),
  });
  expect(payment.refundedThere()).toBe(5000);
});

test("Authorize.Net's batches are read back to the charge's settlement", async () => {
  const days = 86_400_000;
  sandboxes.advance(-70 * days);
  const { chargeId, ...payment } = await aPayment("anet");
  sandboxes.anet.settle();
  sandboxes.advance(20 * days);
  sandboxes.anet.refundAtProcessor(chargeId, 2000);
  sandboxes.anet.settle();
  sandboxes.advance(50 * days);
  sandboxes.anet.refundAtProcessor(chargeId, 1000);
  sandboxes.anet.settle();
  const since = await payment.since();
  expect(since).toEqual(expect.arrayContaining([refundOf(2000), refundOf(1000)]));
  expect(since).toHaveLength(2);
});

describe.each(["anet", "stripe"] as const)("a notice of %s", (processor) => {
  test("of a refund in its own pages reopens the debit", async () => {
    const { chargeId, ...payment } = await aPayment(processor);
    sandboxes[processor].settle();
    payment.listen();
    sandboxes[processor].refundAtProcessor(chargeId);
    await sandboxes.idle();
    expect(await payment.standing()).toEqual(returned);
  });
});

test("Authorize.Net sends a refund's notice again if it did not say which charge the refund belongs to", async () => {
  const { chargeId, ...payment } = await aPayment("anet");
  sandboxes.anet.settle();
  payment.listen();
  const known = sandboxes.anet.deliveries().length;
  sandboxes.anet.fail({ call: "lookup", kind: "500-before" });
  sandboxes.anet.refundAtProcessor(chargeId);
  await sandboxes.idle();
  const statuses = sandboxes.anet.deliveries().slice(known);
  expect(statuses.map(({ status }) => status)).toContain(503);
  expect(await payment.standing()).toEqual(returned);
});

describe("a dispute at Stripe", () => {
  const withdrawn = (amountCents: number) => ({
    ...refundOf(amountCents),
    kind: "chargeback",
    processorId: expect.stringMatching(/^dp_/),
  });

  async function aDisputed(amount?: number) {
    const { chargeId, ...payment } = await aPayment("stripe");
    payment.listen();
    expect(sandboxes.stripe.dispute(chargeId, "open", amount)).toBe(true);
    await sandboxes.idle();
    return {
      ...payment,
      decide: async (step: "lose" | "win") => {
        expect(sandboxes.stripe.dispute(chargeId, step)).toBe(true);
        await sandboxes.idle();
      },
    };
  }

  test.each([
    ["the whole", 5000, "charged_back"],
    ["a part", 2000, "captured"],
  ])("of %s is a chargeback, whether lost or not", async (_of, amount, state) => {
    const payment = await aDisputed(amount);
    const since = await payment.since();
    expect(since).toEqual([withdrawn(amount)]);
    await payment.decide("lose");
    expect(await payment.since()).toEqual(since);
    expect(await payment.standing()).toEqual({ state, refund: undefined, balance: amount });
    expect(new Set(sandboxes.stripe.deliveries().map(({ status }) => status))).toEqual(
      new Set([200]),
    );
  });

  test("that is won is reversed", async () => {
    const payment = await aDisputed();
    await payment.decide("win");
    const reversed = { ...refundOf(5000), kind: "chargeback_reversed" };
    expect(await payment.since()).toEqual([withdrawn(5000), reversed]);
    expect((await payment.refundHere()).status).toBe(200);
  });

  test("without a notice makes Stripe refuse a refund, in its own words", async () => {
    const { chargeId, ...payment } = await aPayment("stripe");
    sandboxes.stripe.dispute(chargeId, "open");
    expect(await payment.refundHere()).toMatchObject({
      status: 422,
      message: expect.stringContaining("has been charged back"),
    });
    expect(await payment.standing()).toMatchObject({ state: "captured", balance: 0 });
  });
});

test("a charge counts as fully returned through refunds, never through chargebacks", () => {
  const refund = { kind: "refund" as const, on: null, reference: null };
  const charge = (...amounts: [kind: "refund" | "chargeback", amount: number, id: string][]) =>
    fullRefundKind({
      transactionId: "T",
      amountCents: cents(5000),
      since: amounts.map(([kind, amount, processorId]) => ({
        ...refund,
        kind,
        amountCents: cents(amount),
        processorId,
      })),
    });
  expect(charge()).toBeNull();
  expect(charge(["refund", 4999, "R"])).toBeNull();
  expect(charge(["refund", 2000, "R"], ["refund", 3000, "S"])).toBe("refunded");
  expect(charge(["refund", 5000, "T"])).toBe("voided");
  expect(charge(["chargeback", 5000, "D"])).toBeNull();
});
