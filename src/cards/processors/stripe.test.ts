import { Stripe } from "stripe";
import { afterEach, describe, expect } from "vitest";
import { confirmOpenPayments } from "#cards/reconcile/confirmation.ts";
import {
  listCardPayments,
  payByCard,
  refundCard,
  refundPayment,
  showCardSettings,
} from "#cards/contract.ts";
import { verifyLedger } from "#dues/ledger/verify-ledger.ts";
import { checkAcceptedRefunds } from "#cards/refund/refund-failures.ts";
import { cardOf, tokenFrom } from "#tests/support/card-browser.ts";
import { aDebtor, type Debtor, cardPaymentContext } from "#tests/support/card-network.ts";
import { mailsOf } from "#tests/support/mails.ts";
import { creditOf, ledgerOffences, standingOf } from "#tests/support/ledger.ts";
import { signedIn, type Visitor } from "#tests/support/visitor.ts";
import { app } from "#tests/support/app-test.ts";
import { cardTest, sandboxes } from "#tests/support/card-test.ts";

/* Behaviour specific to Stripe: its SDK's own retries, and refunds that fail days later. */

let address: string;

const test = cardTest();
test.beforeAll(async () => {
  address = await app.server.listen({ port: 0, host: "127.0.0.1" });
});
afterEach(() => sandboxes.stripe.stopFailing());

async function pay(
  debtor: Debtor,
  wanted: { debit?: number; card?: string; amount?: string } = {},
) {
  const card = cardOf("stripe", wanted.card);
  const shown = { visitor: debtor.visitor, sandboxes, amount: "50.00", card };
  const token = await tokenFrom("stripe", shown);
  const debit = wanted.debit ?? debtor.debits[0] ?? 0;
  return await debtor.visitor.ask(payByCard, {
    body: { payment_hash: { [debit]: wanted.amount ?? "50.00" }, token },
  });
}

const standing = (debtor: Debtor) => standingOf(app.db, debtor.debits[0] ?? 0);
const offences = async ({ network }: Debtor) => [
  ...(await ledgerOffences(app.db, network.id)),
  ...(await verifyLedger(app.db, network.id)).filter((check) => check.offenders > 0),
];
const owed = { balance: 5000, pending: 0 };
const paid = { balance: 0, pending: 0 };

test("a charge whose connection was cut is not taken for one that Stripe was too busy to make", async () => {
  const debtor = await aDebtor(app, "stripe");
  sandboxes.stripe.fail({ call: "charge", kind: "drop-after", times: 1 });
  sandboxes.stripe.fail({ call: "charge", kind: "busy", times: 1 });
  expect((await pay(debtor)).status).toBe(202);
  sandboxes.stripe.stopFailing();
  await confirmOpenPayments(cardPaymentContext(app, sandboxes, { laterMinutes: 1 }));
  expect(await standing(debtor)).toEqual(paid);
});

test("an amount below Stripe's minimum is the payer's to change, not a fault of the account", async () => {
  const debtor = await aDebtor(app, "stripe");
  expect(await pay(debtor, { amount: "0.49" })).toMatchObject({
    status: 422,
    message: "Stripe accepts card payments of at least $0.50. Pay another amount, or pay by check.",
  });
  expect(await standing(debtor)).toEqual(owed);
  const admin = await signedIn(app, "admin", debtor.network);
  expect(await admin.call(showCardSettings)).toMatchObject({ accountFault: null });
  expect((await pay(debtor, { amount: "0.50" })).status).toBe(200);
  expect(await offences(debtor)).toEqual([]);
});

describe("a refund that fails days after it was accepted", () => {
  const failsLater = "4000000000005126";

  interface Refunded {
    debtor: Debtor;
    admin: Visitor;
    paymentId: number;
  }

  async function aRefund(): Promise<Refunded> {
    const debtor = await aDebtor(app, "stripe");
    const record = await pay(debtor, { card: failsLater });
    const paymentId = record.object.onlinePayments[0]?.paymentId ?? 0;
    const admin = await signedIn(app, "admin", debtor.network);
    await admin.call(refundPayment, { params: { id: paymentId }, body: { reason: "Moved away" } });
    expect(await standing(debtor)).toEqual(owed);
    return { debtor, admin, paymentId };
  }

  const listen = ({ debtor }: Refunded) =>
    sandboxes.stripe.sendWebhooksTo(`${address}/webhooks/stripe/${debtor.network.id}`);
  const dayLater = () =>
    checkAcceptedRefunds(cardPaymentContext(app, sandboxes, { laterMinutes: 25 * 60 }));

  async function told({ admin, debtor }: Refunded) {
    const [payment] = (await admin.call(listCardPayments)).items;
    const mails = await mailsOf(app.db, debtor.network);
    return {
      state: payment?.state,
      refund: payment?.refund?.state,
      problem: payment?.refund?.problem,
      mails: mails.map(({ subject }) => subject.replace("Your card payment of $50.00 ", "")),
    };
  }

  const restored = {
    state: "captured",
    refund: "failed",
    problem: "The card has expired or was canceled.",
    mails: ["is received", "is refunded", "could not be refunded"],
  };

  test("is reversed in the book by its webhook", async () => {
    const refunded = await aRefund();
    listen(refunded);
    sandboxes.stripe.settle();
    await sandboxes.idle();
    expect(await standing(refunded.debtor)).toEqual(paid);
    expect(await told(refunded)).toEqual(restored);
    expect(await offences(refunded.debtor)).toEqual([]);
    const failed = { query: { state: "captured", refund: "failed" } };
    expect((await refunded.admin.call(listCardPayments, failed)).items).toMatchObject([
      { id: refunded.paymentId, refund: { reason: "Moved away" } },
    ]);
  });

  test("is found by the job if no webhook came, and only once by several workers", async () => {
    const refunded = await aRefund();
    await dayLater();
    expect(await standing(refunded.debtor)).toEqual(owed);
    sandboxes.stripe.settle();
    sandboxes.stripe.fail({ call: "lookup", kind: "500-before", times: 1 });
    const later = (days: number) =>
      checkAcceptedRefunds(cardPaymentContext(app, sandboxes, { laterMinutes: days * 25 * 60 }));
    await later(2);
    expect(await standing(refunded.debtor)).toEqual(owed);
    await Promise.all([later(3), later(3), later(3)]);
    expect(await told(refunded)).toEqual(restored);
    expect(await offences(refunded.debtor)).toEqual([]);
  });

  test("can be requested again", async () => {
    const refunded = await aRefund();
    sandboxes.stripe.settle();
    await dayLater();
    const { admin, paymentId, debtor } = refunded;
    await admin.call(refundPayment, { params: { id: paymentId }, body: { reason: "Once more" } });
    expect(await standing(debtor)).toEqual(owed);
    expect((await told(refunded)).mails).toEqual([...restored.mails, "is refunded"]);
    expect(await offences(debtor)).toEqual([]);
  });

  test("becomes credit if the debit has been paid otherwise, and can be refunded", async () => {
    const refunded = await aRefund();
    const { debtor, admin } = refunded;
    expect((await pay(debtor)).status).toBe(200);
    sandboxes.stripe.settle();
    await dayLater();
    expect(await standing(debtor)).toEqual(paid);
    const credit = () => creditOf(app.db, debtor.attorney.id);
    expect(await credit()).toBe(5000);
    expect(await offences(debtor)).toEqual([]);
    const again = { params: { id: refunded.paymentId }, body: { reason: "Paid twice" } };
    expect(await admin.call(refundCard, again)).toMatchObject({ state: "refunded", received: 0 });
    expect(await credit()).toBe(0);
    sandboxes.stripe.settle();
    await dayLater();
    expect(await credit()).toBe(5000);
    expect(await standing(debtor)).toEqual(paid);
    expect(await offences(debtor)).toEqual([]);
  });

  test("made in Stripe's own pages is followed too", async () => {
    const debtor = await aDebtor(app, "stripe");
    await pay(debtor, { card: failsLater });
    const admin = await signedIn(app, "admin", debtor.network);
    listen({ debtor, admin, paymentId: 0 });
    const { transactionId } = (await admin.call(listCardPayments)).items[0] ?? {};
    await stripeItself().refunds.create({ payment_intent: transactionId ?? "" });
    await sandboxes.idle();
    expect(await standing(debtor)).toEqual(owed);
    sandboxes.stripe.settle();
    await sandboxes.idle();
    expect(await standing(debtor)).toEqual(paid);
    expect(await offences(debtor)).toEqual([]);
  });

  function stripeItself(): Stripe {
    const { hostname: host, port } = new URL(sandboxes.addresses.stripe.apiUrl);
    return new Stripe(sandboxes.accounts.stripe.secretKey, { host, port, protocol: "http" });
  }

  test("one that succeeds is followed for some weeks only", async () => {
    const debtor = await aDebtor(app, "stripe");
    const record = await pay(debtor);
    const admin = await signedIn(app, "admin", debtor.network);
    const id = record.object.onlinePayments[0]?.paymentId ?? 0;
    await admin.call(refundPayment, { params: { id }, body: { reason: "Moved away" } });
    const followed = async () =>
      (
        await app.db
          .selectFrom("cardRefunds")
          .select("followAt")
          .where("networkId", "=", debtor.network.id)
          .executeTakeFirstOrThrow()
      ).followAt !== null;
    await checkAcceptedRefunds(cardPaymentContext(app, sandboxes, { laterMinutes: 39 * 24 * 60 }));
    expect(await followed()).toBe(true);
    await checkAcceptedRefunds(cardPaymentContext(app, sandboxes, { laterMinutes: 41 * 24 * 60 }));
    expect(await followed()).toBe(false);
    expect(await standing(debtor)).toEqual(owed);
  });
});
