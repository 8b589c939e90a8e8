import { describe, expect } from "vitest";
import * as contract from "#payments/checks/contract.ts";
import { showAttorney } from "#people/contract.ts";
import { payByCheck } from "#payments/contract.ts";
import { makeNetwork } from "#tests/support/records/networks.ts";
import { makeAttorney } from "#tests/support/records/attorneys.ts";
import { aFirm, creditsOf } from "#tests/support/received-checks.ts";
import { makeDebit } from "#tests/support/records/dues.ts";
import { standingOf } from "#tests/support/ledger.ts";
import { admin, app, attorney, lawyer, network } from "#tests/support/app-test.ts";
import {
  ben,
  bens,
  bounce,
  checksTest,
  counts,
  decide,
  dues,
  expectSoundLedger,
  firm,
  mails,
  ofFirm,
  panel,
  record,
  refusal,
  standing,
  withCredit,
} from "#tests/support/checks-test.ts";

const test = checksTest();

describe("recording a check", () => {
  test("of a firm reserves each attorney's debits, and answers the check", async () => {
    const check = await record(ofFirm({ note: "By mail." }));
    expect(check).toEqual({
      id: check.id,
      checkNumber: "1020",
      amount: "200.00",
      receivedOn: "2026-11-20",
      payer: { kind: "firm", id: firm, name: "Okafor & Lane" },
      status: "pending",
      note: "By mail.",
      shares: [
        {
          paymentId: expect.any(Number),
          shareId: expect.any(Number),
          debitId: dues,
          debitName: "Panel dues",
          dueDate: "2026-01-31",
          attorneyId: attorney.id,
          attorneyName: "Maya Okafor",
          amount: "100.00",
          status: "pending",
        },
        expect.objectContaining({ debitId: panel, amount: "50.00", attorneyName: "Maya Okafor" }),
        expect.objectContaining({ debitId: bens, amount: "50.00", attorneyName: "Ben Lane" }),
      ],
      credits: [],
      depositId: null,
      depositNumber: null,
      createdAt: expect.any(String),
      decidedAt: null,
      returnedOn: null,
      returnNote: "",
    });
    expect(new Set(check.shares.map(({ paymentId }) => paymentId)).size).toBe(2);
    expect(await standing()).toEqual([
      { balance: 10_000, pending: 10_000 },
      { balance: 5_000, pending: 5_000 },
      { balance: 8_000, pending: 5_000 },
    ]);
    const shown = await admin.ask(contract.showCheck, { params: { id: check.id } });
    expect(shown.object).toEqual(check);
    const { object: seen } = await lawyer.ask(showAttorney, { params: { id: attorney.id } });
    expect(seen.checkPayments.map(({ checkNumber, status }) => [checkNumber, status])).toEqual([
      ["1020", "pending"],
      ["1020", "pending"],
    ]);
    await expectSoundLedger();
  });

  test("emails each attorney their part", async () => {
    await record(ofFirm());
    expect(await mails()).toMatchObject([
      {
        recipient: attorney.email,
        subject: "Your part of check 1020 from Okafor & Lane for $150.00 is recorded",
        body: `Dear Maya,

Your part of check 1020 from Okafor & Lane for $150.00 has been recorded and is waiting for confirmation. Until then, these amounts are reserved:

  Panel dues, due 01/31/2026: $100.00
  Experience panel (Family law), due 02/28/2026: $50.00

View or print the payment:`,
      },
      {
        recipient: ben.email,
        subject: "Your part of check 1020 from Okafor & Lane for $50.00 is recorded",
      },
    ]);
  });

  test("in hand approves it immediately, with its credit", async () => {
    const check = await record(withCredit({ approve: true }));
    expect(check).toMatchObject({
      status: "approved",
      decidedAt: expect.any(String),
      shares: [{ amount: "90.00", status: "approved" }],
      credits: [{ attorneyId: attorney.id, attorneyName: "Maya Okafor", amount: "40.00" }],
    });
    expect(await standingOf(app.db, dues)).toEqual({ balance: 1_000, pending: 0 });
    expect(await creditsOf(app.db, network)).toMatchObject([{ amount: 4_000, left: 4_000 }]);
    expect(await mails()).toMatchObject([
      {
        subject: "Your check 1021 for $130.00 is approved",
        body: expect.stringContaining(
          "  Panel dues, due 01/31/2026: $90.00\n  Credit on your account: $40.00\n",
        ),
      },
    ]);
    await expectSoundLedger();
  });

  test("may be only credit, for the payer and its colleagues", async () => {
    const shares = {};
    const credits = { [attorney.id]: "150.00", [ben.id]: "50" };
    const { id } = await record(ofFirm({ shares, credits }));
    expect(await creditsOf(app.db, network)).toEqual([]);
    const { object } = await decide({ approve: [id] });
    expect(object).toMatchObject([{ status: "approved", shares: [] }]);
    expect(await creditsOf(app.db, network)).toMatchObject([{ left: 15_000 }, { left: 5_000 }]);
    await expectSoundLedger();
  });

  test("refuses parts that do not add up, naming the difference", async () => {
    expect(await refusal(ofFirm({ amount: "240.00" }))).toEqual([
      422,
      "The parts are $40.00 less than the check. Place the rest on debits or as credit.",
      "shares",
    ]);
    expect(await refusal(ofFirm({ amount: "150.01" }))).toEqual([
      422,
      "The parts are $49.99 more than the check. Reduce them.",
      "shares",
    ]);
    expect(await refusal(ofFirm({ shares: {} }))).toEqual([
      422,
      "Place the check on at least one debit or on credit.",
      "shares",
    ]);
    expect(await refusal(ofFirm({ shares: { [dues]: "0" } }))).toMatchObject([
      422,
      expect.stringMatching(/0\.01/),
      `shares.${dues}`,
    ]);
    expect(await counts()).toEqual([0, 0, 0, 0]);
  });

  test("refuses another payer's debit or attorney, naming both", async () => {
    const stranger = await makeAttorney(app.db, network, { firstName: "Zoe", lastName: "Strange" });
    const theirs = await makeDebit(app.db, network, stranger, { amountCents: 5_000 });
    expect(await refusal(ofFirm({ amount: "50", shares: { [theirs]: "50" } }))).toEqual([
      422,
      '"Panel dues, due 01/31/2026" is owed by Zoe Strange, who is not at Okafor & Lane.',
      `shares.${theirs}`,
    ]);
    expect(
      await refusal(withCredit({ amount: "50", shares: { [bens]: "50" }, credits: {} })),
    ).toEqual([
      422,
      '"Panel dues, due 01/31/2026" is owed by Ben Lane, not by Maya Okafor.',
      `shares.${bens}`,
    ]);
    const credits = { [stranger.id]: "40" };
    expect(await refusal(withCredit({ credits }))).toEqual([
      422,
      "The check cannot become credit for Zoe Strange, because Maya Okafor is the payer.",
      `credits.${stranger.id}`,
    ]);
    expect(await refusal(ofFirm({ amount: "40", shares: {}, credits }))).toEqual([
      422,
      "The check cannot become credit for Zoe Strange, who is not at Okafor & Lane.",
      `credits.${stranger.id}`,
    ]);
    expect(await counts()).toEqual([0, 0, 0, 0]);
  });

  test("finds nothing of another network", async () => {
    const other = await makeNetwork(app.db);
    const theirs = await makeAttorney(app.db, other);
    const theirDebit = await makeDebit(app.db, other, theirs);
    const theirFirm = await aFirm(app.db, other, [theirs]);
    expect(await refusal(ofFirm({ amount: "50", shares: { [theirDebit]: "50" } }))).toEqual([
      404,
      "There is no such debit.",
      undefined,
    ]);
    expect(await refusal(ofFirm({ firm_id: theirFirm }))).toEqual([
      404,
      "There is no such firm.",
      undefined,
    ]);
    expect(await refusal(withCredit({ attorney_id: theirs.id }))).toEqual([
      404,
      "There is no such attorney.",
      undefined,
    ]);
    expect(await refusal(withCredit({ credits: { [theirs.id]: "40" } }))).toEqual([
      404,
      "There is no such attorney.",
      undefined,
    ]);
  });

  test("needs one payer", async () => {
    const sentence = "Choose one payer: an attorney or a firm.";
    const { attorney_id: _, ...nobody } = withCredit();
    expect(await refusal(nobody)).toEqual([422, sentence, "attorney_id"]);
    expect(await refusal({ ...withCredit(), firm_id: firm })).toEqual([
      422,
      sentence,
      "attorney_id",
    ]);
  });

  test("refuses more than the balance less what is pending", async () => {
    await record(withCredit());
    expect(await refusal(ofFirm())).toEqual([
      409,
      "At most $10.00 can be paid on Panel dues, due 01/31/2026. The rest is paid or pending.",
      `shares.${dues}`,
    ]);
  });

  test("refuses the same number from the same payer until the check is denied", async () => {
    const again = { amount: "10", shares: { [panel]: "10" }, credits: {}, another_check: true };
    const { id } = await record(withCredit());
    const duplicate = [409, "Check 1021 has already been recorded for this payer.", "check_number"];
    expect(await refusal(withCredit(again))).toEqual(duplicate);
    const another = { check_number: "1021", amount: "10", shares: { [bens]: "10" } };
    await record({ ...ofFirm(another), another_check: true }); // from another payer
    const onSameDebit = { attorney_id: ben.id, firm_id: undefined, shares: { [bens]: "10" } };
    expect(await refusal({ ...withCredit(again), ...onSameDebit })).toEqual([
      409,
      "Check 1021 has already been recorded on one of these debits.",
      "check_number",
    ]);
    await decide({ deny: [id] });
    const next = await record(withCredit(again));
    await decide({ approve: [next.id] });
    expect(await refusal(withCredit(again))).toEqual(duplicate);
    await bounce(next.id);
    await record(withCredit(again));
  });

  test("refuses a number that the lawyer recorded from the dashboard", async () => {
    const body = { payment_hash: { [panel]: "10" }, check_number: "1021" };
    await lawyer.call(payByCheck, { body });
    expect(await refusal(withCredit())).toMatchObject([
      409,
      "Check 1021 has already been recorded for this payer.",
      "check_number",
    ]);
  });

  test("refuses a date in the future or more than a year ago", async () => {
    expect(await refusal(ofFirm({ received_on: "2026-11-21" }))).toEqual([
      422,
      "Received on must not be in the future.",
      "received_on",
    ]);
    expect(await refusal(ofFirm({ received_on: "2025-11-19" }))).toEqual([
      422,
      "Received on must be at most a year ago: 11/20/2025 or later.",
      "received_on",
    ]);
    await record(ofFirm({ received_on: "2025-11-20" }));
  });
});
