import { describe, expect } from "vitest";
import { showAttorney } from "#people/contract.ts";
import { adjustDebit, changeMoneySettings } from "#dues/ledger/contract.ts";
import { confirmChecks, showReceipt } from "#payments/contract.ts";
import { applyCredit, creditsOf, giveBack } from "#tests/support/received-checks.ts";
import { aCredit, standingOf } from "#tests/support/ledger.ts";
import { admin, app, attorney, lawyer, network } from "#tests/support/app-test.ts";
import {
  ben,
  bens,
  bounce,
  checksTest,
  decide,
  dues,
  expectSoundLedger,
  mails,
  ofFirm,
  panel,
  preview,
  record,
  subjects,
  standing,
  withCredit,
} from "#tests/support/checks-test.ts";

const test = checksTest();

/** An attorney's balance. */
const balanceOf = async ({ id }: { id: number }) =>
  (await admin.ask(showAttorney, { params: { id } })).object.balance;

describe("a returned check", () => {
  test("is owed again, charges a fee, emails the attorneys, and shows as returned everywhere", async () => {
    const { id } = await record(ofFirm({ approve: true }));
    const { object, status } = await bounce(id, { fee: "35", note: "Insufficient funds." });
    expect(status).toBe(200);
    expect(object).toMatchObject({
      status: "returned",
      returnedOn: "2026-11-20",
      returnNote: "Insufficient funds.",
      shares: [{ status: "returned" }, { status: "returned" }, { status: "returned" }],
    });
    expect(await standing()).toEqual([
      { balance: 10_000, pending: 0 },
      { balance: 5_000, pending: 0 },
      { balance: 8_000, pending: 0 },
    ]);
    const { object: seen } = await lawyer.ask(showAttorney, { params: { id: attorney.id } });
    expect(seen.debits.at(-1)).toMatchObject({
      name: "Returned check 1020",
      amount: "35.00",
      dueDate: "2026-11-20",
    });
    expect(seen.balance).toBe("185.00");
    expect(seen.checkPayments.map((payment) => payment.status)).toEqual(["returned", "returned"]);
    expect((await mails()).slice(2)).toEqual([
      {
        recipient: attorney.email,
        subject: "A check from your firm was returned by the bank",
        body: `Dear Maya,

The bank returned check 1020 from Okafor & Lane on 11/20/2026.

These amounts are owed again:

  Panel dues, due 01/31/2026: $100.00
  Experience panel (Family law), due 02/28/2026: $50.00

A fee of $35.00 for the returned check is charged to your account.

In total, you owe $185.00 for this check.

Your account:`,
        pagePath: "/dashboard",
      },
      expect.objectContaining({
        recipient: ben.email,
        body: expect.not.stringContaining("fee"),
      }),
    ]);
    await expectSoundLedger();
  });

  test("reverses its credit, also on debits it paid, and charges what was refunded", async () => {
    const { id } = await record(
      withCredit({
        shares: { [dues]: "90" },
        credits: { [attorney.id]: "60" },
        amount: "150",
        approve: true,
      }),
    );
    const [credit] = await creditsOf(app.db, network);
    const creditId = credit?.id ?? 0;
    await applyCredit(app.db, network, { creditId, debitId: dues, cents: 1_000 });
    await applyCredit(app.db, network, { creditId, debitId: panel, cents: 2_000 });
    await giveBack(app.db, network, { creditId, cents: 500 });
    const foreseen = await preview(id);
    expect(foreseen.object).toEqual({
      debits: 1,
      reopened: "90.00",
      creditTakenBack: "25.00",
      creditTakenOff: "30.00",
      creditCharged: "5.00",
      heldCharged: "0.00",
      chargedFromCredit: "0.00",
      creditForFee: "0.00",
      fee: "0.00",
      feeAttorneyId: attorney.id,
      feeAttorneyName: "Maya Okafor",
      mailed: [{ attorneyId: attorney.id, attorneyName: "Maya Okafor", email: attorney.email }],
    });
    expect((await bounce(id)).status).toBe(200);
    expect(await creditsOf(app.db, network)).toMatchObject([{ amount: 6_000, left: 0 }]);
    expect(await standing()).toMatchObject([{ balance: 10_000 }, { balance: 5_000 }, {}]);
    const { object: seen } = await lawyer.ask(showAttorney, { params: { id: attorney.id } });
    expect(seen.debits.at(-1)).toMatchObject({
      name: "Credit of returned check 1021",
      amount: "5.00",
    });
    expect(seen.balance).toBe("155.00");
    const entries = await app.db
      .selectFrom("entries")
      .select(["cause", "debitId", "amountCents", "note"])
      .where("networkId", "=", network.id)
      .where("cause", "in", ["credit_taken_off", "credit_reversed"])
      .orderBy("id")
      .execute();
    const note = "Check 1021 was returned";
    expect(entries).toEqual([
      { cause: "credit_taken_off", debitId: panel, amountCents: 2_000, note },
      { cause: "credit_taken_off", debitId: dues, amountCents: 1_000, note },
      { cause: "credit_reversed", debitId: null, amountCents: 5_500, note },
    ]);
    expect((await mails()).at(-1)).toMatchObject({
      subject: "Your check was returned by the bank",
      body: `Dear Maya,

The bank returned your check 1021 on 11/20/2026.

These amounts are owed again:

  Panel dues, due 01/31/2026: $100.00
  Experience panel (Family law), due 02/28/2026: $20.00

$25.00 of credit from this check was removed from your account.

$5.00 of credit from this check was already refunded to you. It is now charged to your account.

In total, you owe $125.00 for this check.

Your account:`,
    });
    await expectSoundLedger();
  });

  // Maya is charged $10.00 of refunded credit and a fee of $35.00, Ben $20.00. Ben has $5.00 of other credit.
  test.each([
    { paid: "none of it", other: 0, owed: ["195.00", "95.00"] },
    { paid: "a part of the refunded credit", other: 400, owed: ["191.00", "95.00"] },
    { paid: "a part of the fee", other: 2_500, owed: ["170.00", "95.00"] },
    { paid: "all of it", other: 4_500, owed: ["150.00", "95.00"] },
    { paid: "and no debit owed again", other: 9_000, owed: ["150.00", "95.00"] },
    { paid: "not automatically", other: 9_000, isSwitchedOff: true, owed: ["195.00", "100.00"] },
  ])(
    "says in the preview and by email what is owed if other credit pays the charges: $paid",
    async ({ other, isSwitchedOff = false, owed }) => {
      await admin.call(changeMoneySettings, {
        body: { applies_credit_automatically: !isSwitchedOff },
      });
      if (other > 0) await aCredit(app.db, network, attorney.id, other);
      await aCredit(app.db, network, ben.id, 500);
      const { id } = await record(
        ofFirm({
          amount: "265",
          shares: { [dues]: "100", [panel]: "50", [bens]: "80" },
          credits: { [attorney.id]: "15", [ben.id]: "20" },
          approve: true,
        }),
      );
      const brought = (await creditsOf(app.db, network)).slice(-2);
      for (const { id: creditId, attorneyId } of brought) {
        const part = attorneyId === ben.id ? 2_000 : 1_000;
        await giveBack(app.db, network, { creditId, cents: part });
      }
      const { object: foreseen } = await preview(id);
      await bounce(id, { fee: "35" });

      expect(await Promise.all([attorney, ben].map(balanceOf))).toEqual(owed);
      expect(
        (await mails())
          .slice(-2)
          .map(({ body }) => /you owe \$(.*) for this check/.exec(body)?.[1]),
      ).toEqual(owed);
      const { reopened, creditCharged, chargedFromCredit, creditForFee } = foreseen;
      const fee = 35 - Math.min(35, Number(creditForFee));
      expect(Number(reopened) + Number(creditCharged) - Number(chargedFromCredit) + fee).toBe(
        Number(owed[0]) + Number(owed[1]),
      );
      await expectSoundLedger();
    },
  );

  test("that is only credit, or mixed, reverses what it brought", async () => {
    const alone = await record(withCredit({ shares: {}, amount: "40", approve: true }));
    expect((await bounce(alone.id)).object).toMatchObject({ status: "returned" });
    expect(await creditsOf(app.db, network)).toMatchObject([{ left: 0 }]);
    const mixed = await record(ofFirm());
    const [first, second, third] = mixed.shares.map(({ shareId }) => shareId);
    const statuses = { [first ?? 0]: "denied", [second ?? 0]: "denied", [third ?? 0]: "approved" };
    await admin.call(confirmChecks, { body: { statuses } });
    expect((await preview(mixed.id)).object).toMatchObject({
      debits: 1,
      reopened: "50.00",
      feeAttorneyId: ben.id,
      mailed: [{ attorneyId: ben.id }],
    });
    const { object } = await bounce(mixed.id, { fee: "35" });
    expect(object.shares.map((share) => share.status)).toEqual(["denied", "denied", "returned"]);
    expect(await standingOf(app.db, bens)).toEqual({ balance: 8_000, pending: 0 });
    await expectSoundLedger();
  });

  test("charges its fee to the attorney with the largest part, on a tie the lowest id", async () => {
    const feePayer = async (mayas: string, his: string) => {
      const shares = { [dues]: mayas, [bens]: his };
      const check_number = `F-${mayas}-${his}`.replaceAll(".", "");
      const { id } = await record(ofFirm({ check_number, amount: "20", shares, approve: true }));
      await app.db
        .updateTable("networks")
        .set({ returnedCheckFeeCents: 3_500 as never })
        .where("id", "=", network.id)
        .execute();
      const { object } = await preview(id);
      expect(object.fee).toBe("35.00");
      await bounce(id, { fee: "1.00" });
      return object.feeAttorneyName;
    };
    expect(await feePayer("10", "10")).toBe("Maya Okafor");
    expect(await feePayer("9.99", "10.01")).toBe("Ben Lane");
  });

  test("is refused if already returned, and before it is approved", async () => {
    const { id } = await record(ofFirm());
    const refusals = async (message: string) => {
      expect(await bounce(id)).toMatchObject({ status: 409, message });
      expect(await preview(id)).toMatchObject({ status: 409, message });
    };
    await refusals("Check 1020 is still pending. Deny it instead.");
    await decide({ approve: [id] });
    await bounce(id);
    await refusals("Check 1020 was already returned on 11/20/2026.");
    const denied = await record(ofFirm());
    await decide({ deny: [denied.id] });
    const message = "Check 1020 was denied, so it cannot be returned.";
    expect(await bounce(denied.id)).toMatchObject({ status: 409, message });
    expect((await bounce(999_999_999)).status).toBe(404);
    expect(await bounce(id, { returned_on: "2026-11-21" })).toMatchObject({
      status: 422,
      message: "Returned on must not be in the future.",
    });
    expect(await bounce(id, { returned_on: "2025-11-19" })).toMatchObject({
      status: 422,
      message: "Returned on must be at most a year ago: 11/20/2025 or later.",
    });
    expect((await bounce(id, { fee: "0" })).status).toBe(422);
  });

  test("is refused before the date it was received, and no one is emailed", async () => {
    const { id } = await record(ofFirm({ received_on: "2026-11-10", approve: true }));
    const mailed = (await subjects()).length;
    expect(await bounce(id, { returned_on: "2026-11-09" })).toMatchObject({
      status: 422,
      message:
        "Returned on must be 11/10/2026 or later, because check 1020 was received on that date.",
      errors: [{ path: "returned_on" }],
    });
    expect(await subjects()).toHaveLength(mailed);
    expect((await bounce(id, { returned_on: "2026-11-10" })).status).toBe(200);
  });

  test("leaves its debits payable and adjustable", async () => {
    const { id } = await record(ofFirm({ approve: true }));
    await bounce(id);
    await record(ofFirm({ approve: true }));
    expect(await standingOf(app.db, dues)).toEqual({ balance: 0, pending: 0 });
    await admin.call(adjustDebit, { body: { debit_id: bens, amount: "30.00" } });
    expect(await standingOf(app.db, bens)).toEqual({ balance: 0, pending: 0 });
    await expectSoundLedger();
  });
});

describe("a receipt", () => {
  const receiptOf = async (checkId: number) => {
    const { id } = await app.db
      .selectFrom("payments")
      .select("id")
      .where("receivedCheckId", "=", checkId)
      .where("attorneyId", "=", attorney.id)
      .executeTakeFirstOrThrow();
    return (await lawyer.ask(showReceipt, { params: { id } })).object;
  };

  test("shows the credit of a check, and when the bank returned it", async () => {
    const { id } = await record(withCredit());
    expect(await receiptOf(id)).toMatchObject({
      amount: "130.00",
      credit: "40.00",
      status: "pending",
      returnedOn: null,
      shares: [{ amount: "90.00" }],
    });
    await decide({ approve: [id] });
    const approved = await receiptOf(id);
    expect(approved).toMatchObject({ status: "approved", settledAt: expect.any(String) });
    await bounce(id);
    expect(await receiptOf(id)).toMatchObject({
      status: "returned",
      settledAt: approved.settledAt,
      returnedOn: "2026-11-20",
      shares: [{ status: "returned" }],
    });
  });

  test("of a denied part is not affected by the check's return", async () => {
    const { id, shares } = await record(ofFirm());
    const [first, second, third] = shares.map(({ shareId }) => shareId);
    const statuses = { [first ?? 0]: "denied", [second ?? 0]: "denied", [third ?? 0]: "approved" };
    await admin.call(confirmChecks, { body: { statuses } });
    await bounce(id);
    expect(await receiptOf(id)).toMatchObject({ status: "denied", returnedOn: null });
  });

  test("of a payment that is only credit has its check's status", async () => {
    const { id } = await record(withCredit({ shares: {}, amount: "40" }));
    expect(await receiptOf(id)).toMatchObject({ status: "pending", shares: [], credit: "40.00" });
    await decide({ approve: [id] });
    expect(await receiptOf(id)).toMatchObject({
      status: "approved",
      settledAt: expect.any(String),
    });
    await bounce(id);
    expect(await receiptOf(id)).toMatchObject({ status: "returned" });
  });
});
