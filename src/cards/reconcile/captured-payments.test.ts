import { beforeEach, describe, expect } from "vitest";
import { verifyLedger } from "#dues/ledger/verify-ledger.ts";
import { confirmOpenPayments } from "#cards/reconcile/confirmation.ts";
import { listCardPayments, payByCard, refundPayment } from "#cards/contract.ts";
import { showReceipt } from "#payments/contract.ts";
import { lookUpCapturedPayments } from "#cards/reconcile/captured-payments.ts";
import type { ProcessorName } from "#cards/shapes.ts";
import { cardOf, tokenFrom } from "#tests/support/card-browser.ts";
import {
  aDebtor,
  allProcessors,
  type Debtor,
  cardPaymentContext,
} from "#tests/support/card-network.ts";
import { mailsOf } from "#tests/support/mails.ts";
import { creditOf, ledgerOffences, standingOf } from "#tests/support/ledger.ts";
import { signedIn, type Visitor } from "#tests/support/visitor.ts";
import { app } from "#tests/support/app-test.ts";
import { cardTest, sandboxes } from "#tests/support/card-test.ts";

/* Sales that the processor approved but could not collect at settlement. */

const test = cardTest();

/** Each test looks up only its own sale. */
beforeEach(
  async () => void (await app.db.updateTable("cardPayments").set({ followAt: null }).execute()),
);

interface Sale {
  processor: ProcessorName;
  debtor: Debtor;
  admin: Visitor;
  paymentId: number;
  transactionId: string;
}

async function pay(processor: ProcessorName, debtor: Debtor): Promise<number> {
  const card = cardOf(processor);
  const token = await tokenFrom(processor, {
    visitor: debtor.visitor,
    sandboxes,
    amount: "50.00",
    card,
  });
  const body = { payment_hash: { [debtor.debits[0] ?? 0]: "50.00" }, token };
  const { onlinePayments } = await debtor.visitor.call(payByCard, { body });
  return Math.max(...onlinePayments.map(({ paymentId }) => paymentId));
}

async function aSale(processor: ProcessorName): Promise<Sale> {
  const debtor = await aDebtor(app, processor);
  const paymentId = await pay(processor, debtor);
  const admin = await signedIn(app, "admin", debtor.network);
  const [payment] = (await admin.call(listCardPayments)).items;
  return { processor, debtor, admin, paymentId, transactionId: payment?.transactionId ?? "" };
}

const daysLater = (days: number) =>
  lookUpCapturedPayments(cardPaymentContext(app, sandboxes, { laterMinutes: days * 24 * 60 + 60 }));

async function readOutcome({ debtor, admin, paymentId }: Sale) {
  const items = (await admin.call(listCardPayments)).items;
  const mails = await mailsOf(app.db, debtor.network);
  return {
    state: items.find(({ id }) => id === paymentId)?.state,
    mails: mails.map(({ subject }) => subject.replace("Your card payment of $50.00 ", "")),
    debit: await standingOf(app.db, debtor.debits[0] ?? 0),
  };
}

const offences = async ({ debtor: { network } }: Sale) => [
  ...(await ledgerOffences(app.db, network.id)),
  ...(await verifyLedger(app.db, network.id)).filter((check) => check.offenders > 0),
];

const questions = ({ processor }: Sale) => sandboxes[processor].calls().length;
const owed = { balance: 5000, pending: 0 };
const paid = { balance: 0, pending: 0 };

describe.each(["paypal_payflow_pro", "lawpay", "anet"] as const)("%s", (processor) => {
  test("a sale that fails at settlement reopens its debits, and its payer is notified", async () => {
    const sale = await aSale(processor);
    sandboxes[processor].settle([sale.transactionId]);
    await daysLater(0);
    expect((await readOutcome(sale)).debit).toEqual(paid); // not looked up yet
    await daysLater(1);
    const failed = { state: "failed", mails: ["is received", "could not be collected"] };
    expect(await readOutcome(sale)).toEqual({ ...failed, debit: owed });
    await daysLater(2);
    expect(await readOutcome(sale)).toEqual({ ...failed, debit: owed });
    expect(await offences(sale)).toEqual([]);
    const { debtor, paymentId } = sale;
    expect(await debtor.visitor.call(showReceipt, { params: { id: paymentId } })).toMatchObject({
      status: "failed",
      shares: [{ status: "failed" }],
    });
    const record = await debtor.visitor.send("GET", `/attorneys/${debtor.attorney.id}`);
    expect(record.object).toMatchObject({
      onlinePayments: [],
      reversedOnlinePayments: [{ status: "failed" }],
      balance: "80.00",
    });
  });

  test("a failed sale cannot be refunded", async () => {
    const sale = await aSale(processor);
    const refund = () =>
      sale.admin.ask(refundPayment, {
        params: { id: sale.paymentId },
        body: { reason: "Moved away" },
      });
    sandboxes[processor].settle([sale.transactionId]);
    expect((await refund()).status).toBe(422); // the processor refuses: we do not know why yet
    expect((await readOutcome(sale)).state).toBe("captured");
    await daysLater(1);
    expect(await refund()).toMatchObject({ status: 409, message: /nothing to refund/ });
    expect(await offences(sale)).toEqual([]);
  });
});

test.each(allProcessors)(
  "a sale of %s is looked up once a day, settled or not, for half a year",
  async (processor) => {
    const sale = await aSale(processor);
    const asked = async (days: number) => {
      const before = questions(sale);
      await daysLater(days);
      return questions(sale) > before;
    };
    expect(await asked(0)).toBe(false);
    expect(await asked(1)).toBe(true);
    expect(await asked(1)).toBe(false);
    sandboxes[processor].settle();
    expect(await asked(2)).toBe(true);
    expect(await asked(181)).toBe(true);
    expect(await asked(200)).toBe(false);
    expect(await readOutcome(sale)).toMatchObject({ state: "captured", debit: paid });
  },
);

describe("a sale that a later batch collects after all", () => {
  const processor = "paypal_payflow_pro";

  async function aFailedSale(): Promise<Sale> {
    const sale = await aSale(processor);
    sandboxes[processor].settle([sale.transactionId]);
    await daysLater(1);
    return sale;
  }

  test("is received again while its debits are owed", async () => {
    const sale = await aFailedSale();
    sandboxes[processor].settle();
    await daysLater(2);
    const mails = ["is received", "could not be collected", "was collected after all"];
    expect(await readOutcome(sale)).toEqual({ state: "captured", mails, debit: paid });
    expect(await offences(sale)).toEqual([]);
  });

  test("becomes credit if its debits have been paid otherwise", async () => {
    const sale = await aFailedSale();
    await pay(processor, sale.debtor);
    sandboxes[processor].settle();
    await daysLater(2);
    expect(await readOutcome(sale)).toMatchObject({ state: "captured", debit: paid });
    expect(await creditOf(app.db, sale.debtor.attorney.id)).toBe(5000);
    expect(await offences(sale)).toEqual([]);
    await daysLater(3);
    expect(await creditOf(app.db, sale.debtor.attorney.id)).toBe(5000);
  });
});

test("a sale that failed before we heard of it is posted when it comes through", async () => {
  const processor = "paypal_payflow_pro";
  const debtor = await aDebtor(app, processor);
  const shown = { visitor: debtor.visitor, sandboxes, amount: "50.00" };
  const token = await tokenFrom(processor, shown);
  sandboxes[processor].fail({ call: "lookup", kind: "drop-before", times: 4 });
  const body = { payment_hash: { [debtor.debits[0] ?? 0]: "50.00" }, token };
  expect((await debtor.visitor.ask(payByCard, { body })).status).toBe(202);
  sandboxes[processor].stopFailing();
  sandboxes[processor].settle(sandboxes[processor].charges().map(({ id }) => id));
  await confirmOpenPayments(cardPaymentContext(app, sandboxes, { laterMinutes: 1 }));
  const standing = () => standingOf(app.db, debtor.debits[0] ?? 0);
  expect(await standing()).toEqual(owed);
  sandboxes[processor].settle();
  await daysLater(1);
  expect(await standing()).toEqual(paid);
  await daysLater(2);
  expect(await ledgerOffences(app.db, debtor.network.id)).toEqual([]);
});
