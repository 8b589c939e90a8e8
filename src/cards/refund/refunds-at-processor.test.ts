import { afterEach, expect } from "vitest";
import {
  listCardPayments,
  payByCard,
  recordCardTransaction,
  refundCard,
  refundPayment,
} from "#cards/contract.ts";
import { lookUpCapturedPayments } from "#cards/reconcile/captured-payments.ts";
import { checkAcceptedRefunds } from "#cards/refund/refund-failures.ts";
import { carryOutOpenRefunds } from "#cards/refund/refund-job.ts";
import type { ProcessorName } from "#cards/shapes.ts";
import { cardOf, tokenFrom } from "#tests/support/card-browser.ts";
import { aDebtor, cardPaymentContext } from "#tests/support/card-network.ts";
import { standingOf } from "#tests/support/ledger.ts";
import { signedIn } from "#tests/support/visitor.ts";
import { app } from "#tests/support/app-test.ts";
import { cardTest, sandboxes } from "#tests/support/card-test.ts";

/* Refunds that differ at the processor from what was requested. */

const test = cardTest();
afterEach(() => {
  sandboxes.elavon.stopFailing();
  sandboxes.anet.stopFailing();
});

async function aSettledPayment(processor: ProcessorName, number?: string) {
  const debtor = await aDebtor(app, processor);
  const shown = {
    visitor: debtor.visitor,
    sandboxes,
    amount: "50.00",
    card: cardOf(processor, number),
  };
  const token = await tokenFrom(processor, shown);
  const body = { payment_hash: { [debtor.debits[0] ?? 0]: "50.00" }, token };
  await debtor.visitor.call(payByCard, { body });
  sandboxes[processor].settle();
  const admin = await signedIn(app, "admin", debtor.network);
  const listed = async () => (await admin.call(listCardPayments)).items[0];
  const { id, transactionId } = (await listed()) ?? { id: 0, transactionId: "" };
  return {
    transactionId: transactionId ?? "",
    refund: () => admin.ask(refundPayment, { params: { id }, body: { reason: "Left" } }),
    refundPart: (amount: string) =>
      admin.call(refundCard, { params: { id }, body: { reason: "Left", amount } }),
    enterRefund: async (amount: string) => {
      const on = (await listed())?.transactions[0]?.on ?? "";
      await admin.call(recordCardTransaction, {
        params: { id },
        body: { kind: "refund", amount, on },
      });
    },
    parts: async () =>
      (await listed())?.transactions.map(({ kind, amount }) => `${kind} ${amount}`),
    refundedThere: () =>
      sandboxes[processor].charges().find((each) => each.id === transactionId)?.refundedCents,
    standing: async () => ({
      state: (await listed())?.state,
      refund: (await listed())?.refund?.state,
      ...(await standingOf(app.db, debtor.debits[0] ?? 0)),
    }),
  };
}

const later = () => carryOutOpenRefunds(cardPaymentContext(app, sandboxes, { laterMinutes: 5 }));
const stillPaid = { state: "captured", refund: "failed", balance: 0, pending: 0 };
const givenBack = { state: "refunded", refund: "done", balance: 5000, pending: 0 };

test("the rest of a sale partly returned in Converge is returned, even if Converge did not answer at first", async () => {
  const payment = await aSettledPayment("elavon");
  sandboxes.elavon.refundAtProcessor(payment.transactionId, 2000);
  sandboxes.elavon.fail({ call: "lookup", kind: "500-before" });
  expect((await payment.refund()).status).toBe(202);
  await later();
  expect(await payment.standing()).toEqual(givenBack);
  expect(payment.refundedThere()).toBe(5000);
});

test("a return of the rest whose answer was lost is not made twice", async () => {
  const payment = await aSettledPayment("elavon");
  sandboxes.elavon.refundAtProcessor(payment.transactionId, 2000);
  sandboxes.elavon.fail({ call: "refund", kind: "slow", delayMs: 0 }); // the whole amount, which is refused
  sandboxes.elavon.fail({ call: "refund", kind: "drop-after" });
  expect((await payment.refund()).status).toBe(202);
  await later();
  expect(payment.refundedThere()).toBe(5000);
  expect(await payment.standing()).toEqual(givenBack);
});

test("a return whose answer was lost is recognised when Converge refuses to return it twice", async () => {
  const payment = await aSettledPayment("elavon");
  sandboxes.elavon.fail({ call: "refund", kind: "drop-after" });
  expect((await payment.refund()).status).toBe(202);
  await later();
  expect(await payment.standing()).toEqual(givenBack);
});

/** The refund that Authorize.Net has not settled yet. */
async function openRefundInAnet(): Promise<string> {
  const { apiLoginId, transactionKey } = sandboxes.accounts.anet;
  const answer = await fetch(sandboxes.addresses.anet.apiUrl, {
    method: "POST",
    body: JSON.stringify({
      getUnsettledTransactionListRequest: {
        merchantAuthentication: { name: apiLoginId, transactionKey },
        status: "any",
        sorting: { orderBy: "submitTimeUTC", orderDescending: true },
        paging: { limit: "100", offset: "1" },
      },
    }),
  });
  const found = /"transId":"(\d+)"[^{}]*"transactionStatus":"refundPendingSettlement"/.exec(
    await answer.text(),
  );
  return found?.[1] ?? "";
}

test("a refund that Authorize.Net accepted but did not carry out is reversed", async () => {
  const payment = await aSettledPayment("anet");
  expect((await payment.refund()).status).toBe(200);
  expect(await payment.standing()).toEqual(givenBack);
  const context = cardPaymentContext(app, sandboxes, { laterMinutes: 25 * 60 });
  await checkAcceptedRefunds(context);
  expect(await payment.standing()).toEqual(givenBack);
  sandboxes.anet.settle([await openRefundInAnet()]);
  await checkAcceptedRefunds(cardPaymentContext(app, sandboxes, { laterMinutes: 50 * 60 }));
  expect(await payment.standing()).toEqual(stillPaid);
});

test("a refund whose answer was lost is recorded as Authorize.Net lists it: carried out or not", async () => {
  for (const isCollected of [true, false]) {
    const payment = await aSettledPayment("anet");
    sandboxes.anet.fail({ call: "refund", kind: "drop-after" });
    expect((await payment.refund()).status).toBe(202);
    sandboxes.anet.settle(isCollected ? [] : [await openRefundInAnet()]);
    await later();
    expect(await payment.standing()).toEqual(isCollected ? givenBack : stillPaid);
  }
});

test("of several partial refunds, the one that Authorize.Net did not carry out is reversed", async () => {
  const payment = await aSettledPayment("anet");
  await payment.refundPart("20.00");
  const first = await openRefundInAnet();
  await payment.refundPart("20.00");
  sandboxes.anet.settle([first]);
  await checkAcceptedRefunds(cardPaymentContext(app, sandboxes, { laterMinutes: 25 * 60 }));
  await checkAcceptedRefunds(cardPaymentContext(app, sandboxes, { laterMinutes: 50 * 60 }));
  expect(await payment.parts()).toEqual(taken(["refund 2000", "refund 2000"]));
});

/** Run the daily looks some days later. */
async function lookAfter(days: number) {
  const context = cardPaymentContext(app, sandboxes, { laterMinutes: days * 25 * 60 });
  await lookUpCapturedPayments(context);
  await checkAcceptedRefunds(context);
}

const taken = (refunds: string[]) => ["purchase 5000", ...refunds, "purchase 2000"];

test("of several partial refunds, the one that Stripe could not carry out is reversed", async () => {
  const payment = await aSettledPayment("stripe", "4000000000005126");
  await payment.refundPart("20.00");
  sandboxes.stripe.settle(); // the refund fails
  await payment.refundPart("20.00");
  await checkAcceptedRefunds(cardPaymentContext(app, sandboxes, { laterMinutes: 25 * 60 }));
  await checkAcceptedRefunds(cardPaymentContext(app, sandboxes, { laterMinutes: 50 * 60 }));
  expect(await payment.parts()).toEqual(taken(["refund 2000", "refund 2000"]));
});

test("a refund entered by hand that could not be carried out is reversed", async () => {
  const payment = await aSettledPayment("stripe", "4000000000005126");
  await payment.enterRefund("20.00");
  sandboxes.stripe.refundAtProcessor(payment.transactionId, 2000);
  await lookAfter(1);
  expect(await payment.parts()).toEqual(["purchase 5000", "refund 2000"]);
  sandboxes.stripe.settle(); // the refund fails
  await lookAfter(3);
  expect(await payment.parts()).toEqual(taken(["refund 2000"]));
});

test("of several partial refunds in Stripe's own pages, the one that could not be carried out is reversed", async () => {
  const payment = await aSettledPayment("stripe", "4000000000005126");
  sandboxes.stripe.refundAtProcessor(payment.transactionId, 2000);
  await lookAfter(1);
  sandboxes.stripe.settle(); // the refund fails
  sandboxes.stripe.refundAtProcessor(payment.transactionId, 2000);
  await lookAfter(3);
  await lookAfter(5);
  expect((await payment.parts())?.toSorted()).toEqual(
    taken(["refund 2000", "refund 2000"]).toSorted(),
  );
});
