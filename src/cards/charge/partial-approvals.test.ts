import { afterEach, describe, expect } from "vitest";
import { confirmOpenPayments } from "#cards/reconcile/confirmation.ts";
import { payByCard } from "#cards/contract.ts";
import { reconcileSessions } from "#cards/session/reconcile-sessions.ts";
import type { ProcessorName } from "#cards/shapes.ts";
import { cardOf, tokenFrom } from "#tests/support/card-browser.ts";
import { aDebtor, type Debtor, cardPaymentContext } from "#tests/support/card-network.ts";
import { ledgerOffences, standingOf } from "#tests/support/ledger.ts";
import { app } from "#tests/support/app-test.ts";
import { cardTest, sandboxes } from "#tests/support/card-test.ts";

/* Approvals that do not make the payment: of a smaller amount, or refused by the merchant's own rules. */

const test = cardTest();
afterEach(() => {
  for (const name of ["anet", "lawpay", "elavon"] as const) sandboxes[name].stopFailing();
});

async function pay(processor: ProcessorName, debtor: Debtor, amount: string, number?: string) {
  const card = cardOf(processor, number);
  const token = await tokenFrom(processor, { visitor: debtor.visitor, sandboxes, amount, card });
  const body = { payment_hash: { [debtor.debits[0] ?? 0]: amount }, token };
  return await debtor.visitor.ask(payByCard, { body });
}

const standings = (debtor: Debtor) =>
  Promise.all(debtor.debits.map((id) => standingOf(app.db, id)));
const later = (laterMinutes: number) => cardPaymentContext(app, sandboxes, { laterMinutes });
const lastCharge = (processor: ProcessorName) => sandboxes[processor].charges().at(-1);
const untouched = [
  { balance: 5000, pending: 0 },
  { balance: 3000, pending: 0 },
];
const reserved = [
  { balance: 5000, pending: 5000 },
  { balance: 3000, pending: 0 },
];

/** Held by the gateway until the rest is paid, as Authorize.Net does; approved as if in full. */
const approvedInPart = ["4000000000001232", "4000000000001240"];

describe("Authorize.Net", () => {
  test("is asked to decline a card that covers only part of the amount", async () => {
    const debtor = await aDebtor(app, "anet");
    await app.db
      .updateTable("attorneys")
      .set({ addressZip: "46225" }) // in that zip code the sandbox's cards have $1.23 on them
      .where("networkId", "=", debtor.network.id)
      .execute();
    expect(await pay("anet", debtor, "50.00")).toMatchObject({ status: 422 });
    expect(lastCharge("anet")).toMatchObject({ state: "declined", amountCents: 5000 });
    expect(await standings(debtor)).toEqual(untouched);
    expect((await pay("anet", debtor, "1.23")).status).toBe(200);
  });

  test.each(approvedInPart)("a partial approval is voided anyway: %s", async (number) => {
    const debtor = await aDebtor(app, "anet");
    const reply = await pay("anet", debtor, "50.00", number);
    expect(reply).toMatchObject({ status: 422, message: expect.stringContaining("only part") });
    expect(lastCharge("anet")).toMatchObject({ state: "voided", amountCents: 123 });
    expect(await standings(debtor)).toEqual(untouched);
    expect(await ledgerOffences(app.db, debtor.network.id)).toEqual([]);
  });

  test.each(["drop-before", "drop-after", "500-before", "malformed"] as const)(
    "while a void is uncertain (%s), the payment stays unknown, and is looked up and voided later",
    async (kind) => {
      const debtor = await aDebtor(app, "anet");
      sandboxes.anet.fail({ call: "void", kind });
      expect(await pay("anet", debtor, "50.00", approvedInPart[1])).toMatchObject({ status: 202 });
      expect(await standings(debtor)).toEqual(reserved);
      await confirmOpenPayments(later(1));
      expect(lastCharge("anet")?.state).toBe("voided");
      expect(await standings(debtor)).toEqual(untouched);
    },
  );

  test.each(approvedInPart)(
    "a partial approval whose answer was lost is voided by the lookup: %s",
    async (number) => {
      const debtor = await aDebtor(app, "anet");
      sandboxes.anet.fail({ call: "charge", kind: "drop-after" });
      expect(await pay("anet", debtor, "50.00", number)).toMatchObject({ status: 202 });
      await confirmOpenPayments(later(1));
      expect(lastCharge("anet")).toMatchObject({ state: "voided", amountCents: 123 });
      expect(await standings(debtor)).toEqual(untouched);
    },
  );

  test("a partial amount collected before we knew is posted with that amount", async () => {
    const debtor = await aDebtor(app, "anet");
    sandboxes.anet.fail({ call: "charge", kind: "drop-after" });
    await pay("anet", debtor, "50.00", approvedInPart[1]);
    sandboxes.anet.settle();
    await confirmOpenPayments(later(1));
    expect((await standings(debtor)).map(({ balance }) => balance)).toEqual([4877, 3000]);
    expect(await ledgerOffences(app.db, debtor.network.id)).toEqual([]);
  });
});

describe("LawPay", () => {
  const half = "4000000000001240";

  test("a charge of a smaller amount is posted with that amount, never in full", async () => {
    const debtor = await aDebtor(app, "lawpay");
    const reply = await pay("lawpay", debtor, "50.00", half);
    expect(reply).toMatchObject({
      status: 422,
      message: expect.stringContaining("is not the total of these payments"),
    });
    expect((await standings(debtor)).map(({ balance }) => balance)).toEqual([2500, 3000]);
    expect(await ledgerOffences(app.db, debtor.network.id)).toEqual([]);
  });

  test("and so is one found by looking it up", async () => {
    const debtor = await aDebtor(app, "lawpay");
    sandboxes.lawpay.fail({ call: "charge", kind: "drop-after" });
    await pay("lawpay", debtor, "50.00", half);
    await confirmOpenPayments(later(1));
    expect((await standings(debtor)).map(({ balance }) => balance)).toEqual([2500, 3000]);
  });
});

describe.each([
  ["partly approved", ".65"],
  ["refused by the account's rules after its approval (PST)", ".81"],
  ["refused by the account's fraud rules (FPR)", ".82"],
])("a Converge charge that is %s", (_how, cents) => {
  test("is voided, and nothing is posted", async () => {
    const debtor = await aDebtor(app, "elavon");
    const reply = await pay("elavon", debtor, `20${cents}`);
    expect(reply).toMatchObject({ status: 422, message: expect.stringMatching(/^declined: /) });
    expect(reply.message).toMatch(/Nothing was charged/);
    expect(lastCharge("elavon")?.state).toBe("voided");
    expect(await standings(debtor)).toEqual(untouched);
  });

  test.each(["drop-before", "drop-after", "500-after", "malformed"] as const)(
    "stays undecided while the void is uncertain (%s), and is voided later",
    async (kind) => {
      const debtor = await aDebtor(app, "elavon");
      sandboxes.elavon.fail({ call: "void", kind });
      expect(await pay("elavon", debtor, `20${cents}`)).toMatchObject({ status: 202 });
      await confirmOpenPayments(later(1));
      expect(lastCharge("elavon")?.state).toBe("voided");
      expect(await standings(debtor)).toEqual(untouched);
      expect(await ledgerOffences(app.db, debtor.network.id)).toEqual([]);
    },
  );

  test("is also voided if its browser never came back", async () => {
    const debtor = await aDebtor(app, "elavon");
    await tokenFrom("elavon", { visitor: debtor.visitor, sandboxes, amount: `20${cents}` });
    await reconcileSessions(later(17));
    expect(lastCharge("elavon")?.state).toBe("voided");
    expect(await standings(debtor)).toEqual(untouched);
  });
});
