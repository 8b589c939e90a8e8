import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { cents } from "#domain/money.ts";
import { queueReceipts } from "#features/mail/receipts.ts";
import { confirmChecks, payByCheck } from "#features/payments/contract.ts";
import {
  aNetwork,
  anAttorney,
  type TestAttorney,
  type TestNetwork,
} from "#tests/support/people.ts";
import { aDebit } from "#tests/support/records.ts";
import { anApp, type RunningApp } from "#tests/support/running-app.ts";
import { signedIn, type Visitor } from "#tests/support/visitor.ts";

let app: RunningApp;
let network: TestNetwork;
let attorney: TestAttorney;
let lawyer: Visitor;
let admin: Visitor;
let debits: number[];

beforeAll(async () => {
  app = await anApp();
});
afterAll(async () => await app.close());
beforeEach(async () => {
  network = await aNetwork(app.db);
  attorney = await anAttorney(app.db, network, { firstName: "Maya", lastName: "Okafor" });
  lawyer = await signedIn(app, attorney, network);
  admin = await signedIn(app, "admin", network);
  debits = [
    await aDebit(app.db, network, attorney, { amountCents: 150_000, planName: "Panel dues" }),
    await aDebit(app.db, network, attorney, {
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
const mails = () =>
  app.db
    .selectFrom("mails")
    .select(["subject", "recipient", "body"])
    .where("networkId", "=", network.id)
    .orderBy("id")
    .execute();

const both = () => ({ [debits[0] ?? 0]: "1234.50", [debits[1] ?? 0]: "20" });

describe("a receipt", () => {
  test("tells the attorney that a check was recorded, whoever recorded it", async () => {
    await pay(both(), "1001", admin);
    expect(await mails()).toEqual([
      {
        recipient: attorney.email,
        subject: "Your check 1001 for $1,254.50 is recorded",
        body: `Dear Maya,

your check 1001 for $1,254.50 has been recorded. It awaits confirmation; until then these amounts are reserved:

  Panel dues, due 01/31/2026: $1,234.50
  Experience panel (Family law), due 02/28/2026: $20.00`,
      },
    ]);
  });

  test("tells of each decision, one mail a check and a decision", async () => {
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

  test("is not made for a check that was refused, nor for a decision that was", async () => {
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

  test("of a captured card payment is made once", async () => {
    const payment = await app.db.transaction().execute(async (tx) => {
      const { id } = await tx
        .insertInto("payments")
        .values({
          networkId: network.id,
          attorneyId: attorney.id,
          method: "online",
          amountCents: cents(5000),
        })
        .returning("id")
        .executeTakeFirstOrThrow();
      await tx
        .insertInto("paymentAllocations")
        .values({
          networkId: network.id,
          attorneyId: attorney.id,
          paymentId: id,
          debitId: debits[1] ?? 0,
          amountCents: cents(5000),
        })
        .execute();
      return id;
    });
    for (const _ of [1, 2])
      await queueReceipts(app.db, network.id, "captured", { paymentIds: [payment] });
    expect(await mails()).toMatchObject([
      {
        subject: "Your card payment of $50.00 is received",
        body: expect.stringContaining("Experience panel (Family law), due 02/28/2026: $50.00"),
      },
    ]);
  });
});
