import { afterEach, describe, expect } from "vitest";
import { confirmOpenPayments } from "#cards/reconcile/confirmation.ts";
import {
  listCardPayments,
  payByCard,
  refundCard,
  refundPayment,
  showCardPayment,
} from "#cards/contract.ts";
import { carryOutOpenRefunds } from "#cards/refund/refund-job.ts";
import { cardOf, tokenFrom } from "#tests/support/card-browser.ts";
import {
  aDebtor,
  allProcessors,
  type Debtor,
  cardPaymentContext,
} from "#tests/support/card-network.ts";
import { makeNetwork } from "#tests/support/records/networks.ts";
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

  const refundPart = ({ admin, paymentId }: Paid, amount: string) =>
    admin.ask(refundCard, { params: { id: paymentId }, body: { reason: "Too much", amount } });

  async function partsOf({ admin, paymentId, debtor }: Paid) {
    const shown = await admin.call(showCardPayment, { params: { id: paymentId } });
    const charge = sandboxes[processor].charges().find(({ id }) => id === shown.transactionId);
    expect(await ledgerOffences(app.db, debtor.network.id)).toEqual([]);
    return {
      status: shown.status,
      received: shown.received,
      gone: shown.transactions.slice(1).map(({ by, amount }) => `${amount} ${by}`),
      atProcessor: charge?.state === "voided" ? "voided" : charge?.refundedCents,
      ...(await standingOf(app.db, debtor.debits[0] ?? 0)),
    };
  }

  const stands = (gone: string[], cents: number) => ({
    status: "partly refunded",
    received: 5000 - cents,
    gone,
    atProcessor: cents,
    balance: cents,
    pending: 0,
  });

  test("before settlement a partial refund is made, or refused if the charge can only be voided", async () => {
    const paid = await aPayment();
    const reply = await refundPart(paid, "20.00");
    if (processor === "stripe" || processor === "lawpay") {
      expect(reply.status).toBe(200);
      expect(await partsOf(paid)).toEqual(stands(["2000 here"], 2000));
    } else {
      expect(reply.status).toBe(422);
      expect(reply.message).toMatch(
        / makes partial refunds only after the payment is settled\. Try again tomorrow\.$/,
      );
      expect(await partsOf(paid)).toEqual({ ...stands([], 0), status: "paid" });
      sandboxes[processor].settle();
      expect((await refundPart(paid, "20.00")).status).toBe(200);
      expect(await partsOf(paid)).toEqual(stands(["2000 here"], 2000));
    }
  });

  test("two equal partial refunds are two refunds, more than is left is refused, and the rest is refunded in full", async () => {
    const paid = await aPayment();
    sandboxes[processor].settle();
    expect((await refundPart(paid, "20.00")).status).toBe(200);
    expect((await refundPart(paid, "20.00")).status).toBe(200);
    expect(await partsOf(paid)).toEqual(stands(["2000 here", "2000 here"], 4000));
    expect(await refundPart(paid, "20.00")).toMatchObject({
      status: 409,
      message: "At most $10.00 can be refunded: that is what is left of this payment.",
    });
    expect((await refund(paid)).status).toBe(200);
    expect(await partsOf(paid)).toEqual({
      ...stands(["2000 here", "2000 here", "1000 here"], 5000),
      status: "refunded",
    });
  });

  test.each(["drop-after", "500-after"] as const)(
    "a partial refund whose answer %s lost is made once, next to another of the same amount",
    async (kind) => {
      const paid = await aPayment();
      sandboxes[processor].settle();
      expect((await refundPart(paid, "10.00")).status).toBe(200);
      sandboxes[processor].fail({ call: "refund", kind, times: 2 });
      expect((await refundPart(paid, "10.00")).status).toBe(202);
      sandboxes[processor].stopFailing();
      await carryOutOpenRefunds(cardPaymentContext(app, sandboxes, { laterMinutes: 5 }));
      expect(await partsOf(paid)).toEqual(stands(["1000 here", "1000 here"], 2000));
    },
  );

  test("a partial refund larger than what is left at the processor is refused, and the refund made there is recorded", async () => {
    const paid = await aPayment();
    sandboxes[processor].settle();
    const { transactionId } = await paid.admin.call(showCardPayment, {
      params: { id: paid.paymentId },
    });
    sandboxes[processor].refundAtProcessor(transactionId ?? "", 4000);
    const reply = await refundPart(paid, "20.00");
    expect(reply.status).toBe(422);
    if (processor === "paypal_payflow_pro") expect(reply.message).toMatch(/in PayPal Manager/);
    else {
      expect(reply.message).toMatch(/^Only \$10\.00 is left at the card processor/);
      expect(await partsOf(paid)).toEqual(stands(["4000 processor"], 4000));
    }
  });

  test("before settlement the charge is voided and the debit is owed again", async () => {
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

  test("a payment is refunded once, however many ask", async () => {
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

  test("a payment being confirmed cannot be refunded, nor one of another network", async () => {
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
