import { afterEach, describe, expect } from "vitest";
import { confirmOpenPayments } from "#features/cards/reconcile/confirmation.ts";
import { listCardPayments, payByCard, refundPayment } from "#features/cards/contract.ts";
import { carryOutOpenRefunds } from "#features/cards/refund/refund-job.ts";
import { cardOf, tokenFrom } from "#tests/support/card-browser.ts";
import {
  aDebtor,
  allProcessors,
  type Debtor,
  cardPaymentContext,
} from "#tests/support/card-network.ts";
import { makeNetwork } from "#features/demo/records/networks.ts";
import { ledgerOffences, standingOf } from "#tests/support/ledger.ts";
import { signedIn, type Visitor } from "#tests/support/visitor.ts";
import { app } from "#tests/support/app-test.ts";
import { cardTest, sandboxes } from "#tests/support/card-test.ts";

const test = cardTest({ processorTimeoutMs: 3_000 });
afterEach(() => {
  for (const name of allProcessors) sandboxes[name].stopFailing();
});

describe.each(allProcessors)("%s", (processor) => {
  interface Paid {
    debtor: Debtor;
    admin: Visitor;
    paymentId: number;
  }

  async function aPayment(): Promise<Paid> {
    const debtor = await aDebtor(app, processor);
    const token = await tokenFrom(processor, {
      visitor: debtor.visitor,
      sandboxes,
      amount: "50.00",
      card: cardOf(processor),
    });
    const body = { payment_hash: { [debtor.debits[0] ?? 0]: "50.00" }, token };
    const record = await debtor.visitor.call(payByCard, { body });
    const admin = await signedIn(app, "admin", debtor.network);
    return { debtor, admin, paymentId: record.onlinePayments[0]?.paymentId ?? 0 };
  }

  const refund = ({ admin, paymentId }: Paid) =>
    admin.ask(refundPayment, { params: { id: paymentId }, body: { reason: "Paid twice" } });

  async function given(paid: Paid) {
    const [payment] = (await paid.admin.call(listCardPayments)).items;
    const charge = sandboxes[processor]
      .charges()
      .find((each) => each.id === payment?.transactionId);
    const standing = await standingOf(app.db, paid.debtor.debits[0] ?? 0);
    const isBack = charge?.state === "voided" || charge?.refundedCents === 5000;
    return { state: payment?.state, refund: payment?.refund?.state, isBack, ...standing };
  }
  const whole = { state: "refunded", refund: "done", isBack: true, balance: 5000, pending: 0 };

  test("before settlement the charge is undone and the debit is owed again", async () => {
    const paid = await aPayment();
    expect((await refund(paid)).status).toBe(200);
    expect(await given(paid)).toEqual(whole);
    expect(await ledgerOffences(app.db, paid.debtor.network.id)).toEqual([]);
    const record = await paid.debtor.visitor.send("GET", `/attorneys/${paid.debtor.attorney.id}`);
    expect(record.object).toMatchObject({
      onlinePayments: [],
      reversedOnlinePayments: [{ status: "refunded" }],
      balance: "80.00",
    });
  });

  test("after settlement the money is refunded", async () => {
    const paid = await aPayment();
    sandboxes[processor].settle();
    expect((await refund(paid)).status).toBe(200);
    expect(await given(paid)).toEqual(whole);
  });

  test("a payment is given back once, however many ask", async () => {
    const paid = await aPayment();
    const replies = await Promise.all([refund(paid), refund(paid), refund(paid)]);
    expect(replies.map((reply) => reply.status).toSorted((a, b) => a - b)).toEqual([200, 409, 409]);
    expect((await refund(paid)).message).toMatch(/already been refunded/);
    expect(await given(paid)).toEqual(whole);
  });

  test.each(["drop-after", "500-after", "malformed", "hang-after"] as const)(
    "a refund whose answer %s lost is carried out once",
    async (kind) => {
      const paid = await aPayment();
      const isVoid = processor !== "stripe";
      sandboxes[processor].fail({ call: isVoid ? "void" : "refund", kind, times: 2 });
      const reply = await refund(paid);
      expect(reply.status).toBe(202);
      sandboxes[processor].stopFailing();
      await carryOutOpenRefunds(cardPaymentContext(app, sandboxes, { laterMinutes: 5 }));
      expect(await given(paid)).toEqual(whole);
      const totals = sandboxes[processor]
        .charges()
        .find((each) => each.state === "voided" || each.refundedCents > 5000);
      expect(totals?.refundedCents ?? 0).toBeLessThanOrEqual(5000);
    },
  );

  test("a payment that is being confirmed cannot be refunded, nor another network's", async () => {
    const debtor = await aDebtor(app, processor);
    const shown = { visitor: debtor.visitor, sandboxes, amount: "50.00" };
    const token = await tokenFrom(processor, shown);
    sandboxes[processor].fail({ kind: "500-before", times: 4 });
    const body = { payment_hash: { [debtor.debits[0] ?? 0]: "50.00" }, token };
    const reply = await debtor.visitor.ask(payByCard, { body });
    sandboxes[processor].stopFailing();
    expect(reply.status).toBe(202);
    const admin = await signedIn(app, "admin", debtor.network);
    const paymentId = reply.object.onlinePayments[0]?.paymentId ?? 0;
    expect(await refund({ debtor, admin, paymentId })).toMatchObject({ status: 409 });
    const stranger = await signedIn(app, "admin", await makeNetwork(app.db));
    expect(await refund({ debtor, admin: stranger, paymentId })).toMatchObject({ status: 404 });
    await confirmOpenPayments(cardPaymentContext(app, sandboxes, { laterMinutes: 1 }));
  });
});
