import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { startSandboxes, type Sandboxes } from "#sandboxes/start.ts";
import { queueCapturedReceipt } from "#outgoing/mail/receipts.ts";
import { confirmOpenPayments } from "#cards/reconcile/confirmation.ts";
import { confirmChecks, payByCheck, showReceipt } from "#payments/contract.ts";
import { payByCard, refundPayment } from "#cards/contract.ts";
import { showStatement } from "#dues/ledger/statements/contract.ts";
import { cardOf, tokenFrom } from "#tests/support/card-browser.ts";
import { aDebtor, type Debtor, cardPaymentContext } from "#tests/support/card-network.ts";
import { mailsOf } from "#tests/support/mails.ts";
import { type MadeNetwork } from "#main/demo/records/networks.ts";
import { makeNetwork } from "#tests/support/records/networks.ts";
import { type MadeAttorney } from "#main/demo/records/attorneys.ts";
import { makeAttorney } from "#tests/support/records/attorneys.ts";
import { makeDebit } from "#tests/support/records/dues.ts";
import { anApp, type RunningApp } from "#tests/support/running-app.ts";
import { signedIn, type Visitor } from "#tests/support/visitor.ts";

let app: RunningApp;
let network: MadeNetwork;
let attorney: MadeAttorney;
let lawyer: Visitor;
let admin: Visitor;
let debits: number[];
let sandboxes: Sandboxes;

beforeAll(async () => {
  sandboxes = await startSandboxes({ port: 0 });
  app = await anApp({ sandboxes: sandboxes.addresses, processorTimeoutMs: 500 });
});
afterAll(async () => {
  await app.close();
  await sandboxes.close();
});
beforeEach(async () => {
  network = await makeNetwork(app.db);
  attorney = await makeAttorney(app.db, network, { firstName: "Maya", lastName: "Okafor" });
  lawyer = await signedIn(app, attorney, network);
  admin = await signedIn(app, "admin", network);
  debits = [
    await makeDebit(app.db, network, attorney, { amountCents: 150_000, planName: "Panel dues" }),
    await makeDebit(app.db, network, attorney, {
      amountCents: 5_000,
      planName: "Experience panel",
      note: "Family law",
      dueOn: "2026-02-28",
    }),
  ];
});

const pay = (hash: object, check_number = "1001", who = lawyer) =>
  who.ask(payByCheck, { body: { payment_hash: hash, check_number } });
const shares = async () =>
  (
    await app.db
      .selectFrom("paymentAllocations")
      .select("id")
      .where("networkId", "=", network.id)
      .orderBy("id")
      .execute()
  ).map(({ id }) => id);
const mails = () => mailsOf(app.db, network);

/** The id of the network's first payment. */
const paymentId = async () =>
  (
    await app.db
      .selectFrom("payments")
      .select("id")
      .where("networkId", "=", network.id)
      .orderBy("id")
      .executeTakeFirstOrThrow()
  ).id;

const both = () => ({ [debits[0] ?? 0]: "1234.50", [debits[1] ?? 0]: "20" });

describe("a receipt", () => {
  test("tells the attorney that a check was recorded, also by an administrator", async () => {
    await pay(both(), "1001", admin);
    expect(await mails()).toEqual([
      {
        recipient: attorney.email,
        subject: "Your check 1001 for $1,254.50 is recorded",
        body: `Dear Maya,

Your check 1001 for $1,254.50 has been recorded and is waiting for confirmation. Until then, these amounts are reserved:

  Panel dues, due 01/31/2026: $1,234.50
  Experience panel (Family law), due 02/28/2026: $20.00

View or print the payment:`,
        pagePath: `/receipts/${await paymentId()}`,
      },
    ]);
  });

  test("goes out for each decision, one email per check and decision", async () => {
    await pay(both());
    await pay({ [debits[0] ?? 0]: "10" }, "1002");
    const [first = 0, second = 0, third = 0] = await shares();
    const statuses = { [first]: "approved", [second]: "denied", [third]: "approved" };
    await admin.call(confirmChecks, { body: { statuses } });
    expect((await mails()).slice(2).map(({ subject }) => subject)).toEqual([
      "Your check 1001 for $1,234.50 is approved",
      "Your check 1002 for $10.00 is approved",
      "Your check 1001 for $20.00 was not accepted",
    ]);
  });

  test("is not sent for a refused check or a refused decision", async () => {
    await pay({ [debits[0] ?? 0]: "99999" });
    expect(await mails()).toEqual([]);
    await pay(both());
    const [first = 0] = await shares();
    const decide = () =>
      admin.ask(confirmChecks, {
        body: { statuses: { [first]: "approved", 999999999: "denied" } },
      });
    expect((await decide()).status).toBe(404);
    expect(await mails()).toHaveLength(1);
  });

  test("links to a page that the attorney can open, approved or denied", async () => {
    await pay(both());
    const [first = 0, second = 0] = await shares();
    await admin.call(confirmChecks, {
      body: { statuses: { [first]: "approved", [second]: "denied" } },
    });
    for (const { pagePath } of await mails()) {
      const id = Number(pagePath?.split("/").at(-1));
      expect(pagePath).toBe(`/receipts/${id}`);
      expect(await lawyer.call(showReceipt, { params: { id } })).toMatchObject({ paymentId: id });
    }
  });
});

describe("a receipt of a card payment", () => {
  async function aCardPayment(): Promise<Debtor> {
    const debtor = await aDebtor(app, "anet");
    const card = cardOf("anet");
    const paid = { visitor: debtor.visitor, sandboxes, amount: "60.00", card };
    const token = await tokenFrom("anet", paid);
    const [first = 0, second = 0] = debtor.debits;
    const body = { payment_hash: { [first]: "50.00", [second]: "10.00" }, token };
    await debtor.visitor.ask(payByCard, { body });
    network = debtor.network;
    return debtor;
  }

  test("is sent once when it is captured, and again for a refund", async () => {
    const { attorney: payer } = await aCardPayment();
    expect(await mails()).toEqual([
      {
        recipient: payer.email,
        subject: "Your card payment of $60.00 is received",
        body: expect.stringMatching(/paid:\n\n.*\$50\.00\n.*\$10\.00\n\n/s),
        pagePath: `/receipts/${await paymentId()}`,
      },
    ]);
    const { id } = await app.db
      .selectFrom("payments")
      .select("id")
      .where("networkId", "=", network.id)
      .executeTakeFirstOrThrow();
    await queueCapturedReceipt(app.db, network.id, id);
    expect(await mails()).toHaveLength(1);
    const office = await signedIn(app, "admin", network);
    await office.call(refundPayment, { params: { id }, body: { reason: "Paid twice" } });
    expect((await mails()).map(({ subject }) => subject)).toEqual([
      "Your card payment of $60.00 is received",
      "Your card payment of $60.00 is refunded",
    ]);
    const { lines } = await office.call(showStatement, {
      params: { id: payer.id },
      query: { from: "2020-01-01" },
    });
    const moved = lines.filter(({ kind }) => kind !== "charge");
    expect(moved.map(({ description, charge, payment }) => [description, charge, payment])).toEqual(
      [
        [expect.stringMatching(/^Card payment, \w+ ending in \d{4}$/), 0, 6000],
        [expect.stringMatching(/^Refunded: Card payment, \w+ ending in \d{4}$/), 6000, 0],
      ],
    );
  });

  test("is not sent until it is known that the card was charged", async () => {
    sandboxes.anet.fail({ call: "charge", kind: "drop-after", times: 2 });
    await aCardPayment();
    expect(await mails()).toEqual([]);
    sandboxes.anet.stopFailing();
    await confirmOpenPayments(cardPaymentContext(app, sandboxes, { laterMinutes: 5 }));
    expect(await mails()).toHaveLength(1);
  });
});
