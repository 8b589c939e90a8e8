import { afterEach, expect } from "vitest";
import { listCardPayments, payByCard, refundPayment } from "#features/cards/contract.ts";
import { checkAcceptedRefunds } from "#features/cards/refund/refund-failures.ts";
import { carryOutOpenRefunds } from "#features/cards/refund/refund-job.ts";
import type { ProcessorName } from "#features/cards/shapes.ts";
import { tokenFrom } from "#tests/support/card-browser.ts";
import { aDebtor, cardPaymentContext } from "#tests/support/card-network.ts";
import { standingOf } from "#tests/support/ledger.ts";
import { signedIn } from "#tests/support/visitor.ts";
import { app } from "#tests/support/app-test.ts";
import { cardTest, sandboxes } from "#tests/support/card-test.ts";

/* Refunds that a processor's own list shows otherwise than they were asked for. */

const test = cardTest();
afterEach(() => {
  sandboxes.elavon.stopFailing();
  sandboxes.anet.stopFailing();
});

/** A payment of $50.00 that is settled. */
async function aSettledPayment(processor: ProcessorName) {
  const debtor = await aDebtor(app, processor);
  const shown = { visitor: debtor.visitor, sandboxes, amount: "50.00" };
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

async function returnInConverge(transactionId: string, amount: string): Promise<void> {
  const { merchantId, userId, pin } = sandboxes.accounts.elavon;
  const fields = {
    ssl_merchant_id: merchantId,
    ssl_user_id: userId,
    ssl_pin: pin,
    ssl_transaction_type: "ccreturn",
    ssl_txn_id: transactionId,
    ssl_amount: amount,
  };
  const inside = Object.entries(fields).map(([name, value]) => `<${name}>${value}</${name}>`);
  const answer = await fetch(sandboxes.addresses.elavon.xmlUrl, {
    method: "POST",
    body: new URLSearchParams({ xmldata: `<txn>${inside.join("")}</txn>` }),
  });
  expect(await answer.text()).toContain("<ssl_result>0</ssl_result>");
}

test.each([
  ["", 0],
  [", not even where it did not answer at first", 1],
])(
  "a sale of which a part was returned in Converge is not booked as refunded in full%s",
  async (_when, failures) => {
    const payment = await aSettledPayment("elavon");
    await returnInConverge(payment.transactionId, "20.00");
    if (failures > 0) sandboxes.elavon.fail({ call: "lookup", kind: "500-before" });
    const { status, message } = await payment.refund();
    expect(status).toBe(failures > 0 ? 202 : 422);
    expect(message).toContain(failures > 0 ? "is being confirmed" : "was returned there before");
    await later();
    expect(await payment.standing()).toEqual(stillPaid);
  },
);

test("one that was returned there in full is, however often and by whom it was asked for", async () => {
  const payment = await aSettledPayment("elavon");
  await returnInConverge(payment.transactionId, "20.00");
  await returnInConverge(payment.transactionId, "30.00");
  expect((await payment.refund()).status).toBe(200);
  expect(await payment.standing()).toEqual(givenBack);
});

test("a return whose answer was lost is recognised by Converge's refusal to return it twice", async () => {
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

test("a refund that Authorize.Net accepted, and did not carry out, is taken back", async () => {
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

test("a refund whose answer was lost counts as Authorize.Net lists it: carried out, or not", async () => {
  for (const isCollected of [true, false]) {
    const payment = await aSettledPayment("anet");
    sandboxes.anet.fail({ call: "refund", kind: "drop-after" });
    expect((await payment.refund()).status).toBe(202);
    sandboxes.anet.settle(isCollected ? [] : [await openRefundInAnet()]);
    await later();
    expect(await payment.standing()).toEqual(isCollected ? givenBack : stillPaid);
  }
});
