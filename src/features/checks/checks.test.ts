import { describe, expect } from "vitest";
import { onChanges } from "#db/changes.ts";
import { listActivity } from "#features/activity/contract.ts";
import { showAttorney } from "#features/attorneys/contract.ts";
import * as contract from "#features/checks/contract.ts";
import { adjustDebit } from "#features/ledger/contract.ts";
import { verifyLedger } from "#features/ledger/verify-ledger.ts";
import { confirmChecks, payByCheck, showReceipt } from "#features/payments/contract.ts";
import { mailsOf } from "#tests/support/mails.ts";
import { makeNetwork } from "#features/demo/records/networks.ts";
import { makeAttorney, type MadeAttorney } from "#features/demo/records/attorneys.ts";
import { applyCredit, aFirm, creditsOf, giveBack } from "#tests/support/received-checks.ts";
import { makeDebit } from "#features/demo/records/dues.ts";
import { ledgerOffences, standingOf } from "#tests/support/ledger.ts";
import { signedIn } from "#tests/support/visitor.ts";
import { admin, app, appTest, attorney, lawyer, network } from "#tests/support/app-test.ts";

const test = appTest({
  clock: "2026-11-20T16:00:00Z",
  network: { name: "Harbor County" },
  attorney: { firstName: "Maya", lastName: "Okafor" },
  lawyer: true,
});

/** Of the firm Okafor & Lane: Maya Okafor, who is the attorney of the test, and Ben Lane. */
let firm: number;
let ben: MadeAttorney;
/** What Maya owes, $100.00 and $50.00, and Ben, $80.00. */
let dues: number;
let panel: number;
let bens: number;

/** Registered on `test` of this file, so that the people of the test are there. */
test.beforeEach(async () => {
  ben = await makeAttorney(app.db, network, { firstName: "Ben", lastName: "Lane" });
  firm = await aFirm(app.db, network, [attorney, ben], "Okafor & Lane");
  dues = await makeDebit(app.db, network, attorney, { amountCents: 10_000 });
  panel = await makeDebit(app.db, network, attorney, {
    amountCents: 5_000,
    planName: "Experience panel",
    note: "Family law",
    dueOn: "2026-02-28",
  });
  bens = await makeDebit(app.db, network, ben, { amountCents: 8_000 });
});

type Wanted = Partial<{
  check_number: string;
  amount: string;
  received_on: string;
  attorney_id: number;
  firm_id: number;
  shares: Record<number, string>;
  credits: Record<number, string>;
  approve: boolean;
  note: string;
}>;

/** A check of the firm for $200.00: all that Maya owes and $50.00 of what Ben does. */
const ofFirm = (wanted: Wanted = {}) => ({
  check_number: "1020",
  amount: "200.00",
  received_on: "2026-11-20",
  firm_id: firm,
  shares: { [dues]: "100.00", [panel]: "50.00", [bens]: "50.00" },
  ...wanted,
});

/** A check of Maya's own for $130.00: $90.00 on her dues, $40.00 for later. */
const withCredit = (wanted: Wanted = {}) => ({
  check_number: "1021",
  amount: "130.00",
  received_on: "2026-11-20",
  attorney_id: attorney.id,
  shares: { [dues]: "90.00" },
  credits: { [attorney.id]: "40.00" },
  ...wanted,
});

/** Answers as on the wire: amounts are text. */
async function record(body: object) {
  const { status, object, text } = await admin.ask(contract.recordWholeCheck, { body });
  expect([status, text]).toEqual([200, text]);
  return object;
}
const refusal = async (body: object) => {
  const { status, message, errors } = await admin.ask(contract.recordWholeCheck, { body });
  return [status, message, errors[0]?.path];
};
const decide = (body: { approve?: number[]; deny?: number[] }) =>
  admin.ask(contract.decideWholeChecks, { body });
const bounce = (id: number, body: object = {}) =>
  admin.ask(contract.returnCheck, { params: { id }, body: { returned_on: "2026-11-20", ...body } });
const preview = (id: number) => admin.ask(contract.previewReturn, { params: { id } });
const list = async (query: object = {}) =>
  (await admin.call(contract.listChecks, { query: { ...query } })).items.map(
    (check) => check.checkNumber,
  );
const mails = () => mailsOf(app.db, network);
const subjects = async () => (await mails()).map(({ subject }) => subject);
const standing = () => Promise.all([dues, panel, bens].map((id) => standingOf(app.db, id)));

/** A number that the network counts: no record is left behind by what was refused. */
async function counts() {
  const of = async (table: "receivedChecks" | "payments" | "mails" | "auditEntries") =>
    (await app.db.selectFrom(table).select("id").where("networkId", "=", network.id).execute())
      .length;
  return [
    await of("receivedChecks"),
    await of("payments"),
    await of("mails"),
    await of("auditEntries"),
  ];
}

async function expectSoundLedger() {
  expect(await ledgerOffences(app.db, network.id)).toEqual([]);
  const checks = await verifyLedger(app.db, network.id);
  expect(checks.filter((check) => check.offenders > 0)).toEqual([]);
}

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

  test("tells each attorney of their part", async () => {
    await record(ofFirm());
    expect(await mails()).toMatchObject([
      {
        recipient: attorney.email,
        subject: "Your part of check 1020 of Okafor & Lane for $150.00 is recorded",
        body: `Dear Maya,

Your part of check 1020 of Okafor & Lane for $150.00 has been recorded. It awaits confirmation; until then these amounts are reserved:

  Panel dues, due 01/31/2026: $100.00
  Experience panel (Family law), due 02/28/2026: $50.00

The payment, to read or to print:`,
      },
      {
        recipient: ben.email,
        subject: "Your part of check 1020 of Okafor & Lane for $50.00 is recorded",
      },
    ]);
  });

  test("in hand approves it at once, and brings its credit", async () => {
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

  test("may be for credit alone, of the payer and of its colleagues", async () => {
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
      "The parts do not add up: $40.00 is still to place.",
      "shares",
    ]);
    expect(await refusal(ofFirm({ amount: "150.01" }))).toEqual([
      422,
      "The parts do not add up: they exceed the check by $49.99.",
      "shares",
    ]);
    expect(await refusal(ofFirm({ shares: {} }))).toEqual([
      422,
      "Place the check on at least one debit, or on credit.",
      "shares",
    ]);
    expect(await refusal(ofFirm({ shares: { [dues]: "0" } }))).toMatchObject([
      422,
      expect.stringMatching(/0\.01/),
      `shares.${dues}`,
    ]);
    expect(await counts()).toEqual([0, 0, 0, 0]);
  });

  test("refuses a debit or an attorney that is not the payer's, naming both", async () => {
    const stranger = await makeAttorney(app.db, network, { firstName: "Zoe", lastName: "Strange" });
    const theirs = await makeDebit(app.db, network, stranger, { amountCents: 5_000 });
    expect(await refusal(ofFirm({ amount: "50", shares: { [theirs]: "50" } }))).toEqual([
      422,
      '"Panel dues, due 01/31/2026" is owed by Zoe Strange, who is not of Okafor & Lane.',
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
      "The check brings no credit to Zoe Strange, since Maya Okafor pays.",
      `credits.${stranger.id}`,
    ]);
    expect(await refusal(ofFirm({ amount: "40", shares: {}, credits }))).toEqual([
      422,
      "The check brings no credit to Zoe Strange, who is not of Okafor & Lane.",
      `credits.${stranger.id}`,
    ]);
    expect(await counts()).toEqual([0, 0, 0, 0]);
  });

  test("finds nothing of another network's", async () => {
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
    const sentence = "Choose who pays: one attorney or one firm.";
    const { attorney_id: _, ...nobody } = withCredit();
    expect(await refusal(nobody)).toEqual([422, sentence, "attorney_id"]);
    expect(await refusal({ ...withCredit(), firm_id: firm })).toEqual([
      422,
      sentence,
      "attorney_id",
    ]);
  });

  test("refuses more than is owed less what is pending", async () => {
    await record(withCredit());
    expect(await refusal(ofFirm())).toEqual([
      409,
      "At most $10.00 can be paid on Panel dues, due 01/31/2026: the rest is paid or awaits confirmation.",
      `shares.${dues}`,
    ]);
  });

  test("refuses the same number of the same payer until it is denied", async () => {
    const again = { amount: "10", shares: { [panel]: "10" }, credits: {} };
    const { id } = await record(withCredit());
    const duplicate = [409, "Check 1021 has already been recorded for this payer.", "check_number"];
    expect(await refusal(withCredit(again))).toEqual(duplicate);
    const another = { check_number: "1021", amount: "10", shares: { [bens]: "10" } };
    await record(ofFirm(another)); // of another payer
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

  test("refuses a day in the future, or more than a year back", async () => {
    expect(await refusal(ofFirm({ received_on: "2026-11-21" }))).toEqual([
      422,
      "The day of receipt must not be in the future.",
      "received_on",
    ]);
    expect(await refusal(ofFirm({ received_on: "2025-11-19" }))).toEqual([
      422,
      "The day of receipt must be at most a year back, 11/20/2025 or later.",
      "received_on",
    ]);
    await record(ofFirm({ received_on: "2025-11-20" }));
  });

  test("is an administrator's alone", async () => {
    expect((await lawyer.ask(contract.recordWholeCheck, { body: ofFirm() })).status).toBe(403);
    expect((await lawyer.ask(contract.listChecks)).status).toBe(403);
  });
});

test("each change hints at the attorneys that it touched, and at many as a whole", async () => {
  const hints: (number | null)[] = [];
  const stop = onChanges(app.db, (changes) => {
    const ours = changes.filter((change) => change.networkId === network.id);
    hints.push(...ours.map((change) => change.attorneyId));
  });
  const { id } = await record(ofFirm());
  await decide({ approve: [id] });
  await bounce(id);
  expect(hints).toEqual([attorney, ben, attorney, ben, attorney, ben].map((one) => one.id));
  const crowd = await Promise.all(Array.from({ length: 11 }, () => makeAttorney(app.db, network)));
  const firm_id = await aFirm(app.db, network, crowd);
  hints.length = 0;
  const credits = Object.fromEntries(crowd.map((one) => [one.id, "1"]));
  await record(ofFirm({ firm_id, check_number: "9", amount: "11", shares: {}, credits }));
  expect(hints).toEqual([null]);
  stop();
});

describe("the list of checks", () => {
  test("is newest first, by pages, with what waits in the whole network", async () => {
    for (const check_number of ["1", "2", "3"])
      await record(
        withCredit({ check_number, amount: "10", shares: { [dues]: "10" }, credits: {} }),
      );
    await record(ofFirm({ amount: "80", shares: { [bens]: "80" }, approve: true }));
    const { object: page } = await admin.ask(contract.listChecks, { query: { per_page: 2 } });
    expect(page).toMatchObject({
      total: 4,
      page: 1,
      perPage: 2,
      pending: { count: 3, amount: "30.00" },
    });
    expect(page.items.map(({ checkNumber }) => checkNumber)).toEqual(["1020", "3"]);
    expect(await list({ per_page: 2, page: 2 })).toEqual(["2", "1"]);
    const other = await signedIn(app, "admin", await makeNetwork(app.db));
    expect((await other.ask(contract.listChecks)).object).toMatchObject({
      items: [],
      total: 0,
      pending: { count: 0, amount: "0.00" },
    });
  });

  test("is filtered by status, payer, lawyer, day and deposit", async () => {
    await record(ofFirm({ received_on: "2026-11-01" }));
    await record(
      withCredit({ shares: {}, amount: "40", approve: true, received_on: "2026-11-19" }),
    );
    const body = { payment_hash: { [bens]: "30" }, check_number: "7" };
    await admin.call(payByCheck, { body });
    expect(await list({ status: "pending" })).toEqual(["7", "1020"]);
    expect(await list({ status: "approved" })).toEqual(["1021"]);
    expect(await list({ firm_id: firm })).toEqual(["1020"]);
    expect(await list({ attorney_id: ben.id })).toEqual(["7", "1020"]);
    expect(await list({ attorney_id: attorney.id })).toEqual(["1021", "1020"]);
    expect(await list({ from: "2026-11-02", to: "2026-11-19" })).toEqual(["1021"]);
    expect(await list({ to: "2026-11-01" })).toEqual(["1020"]);
    expect(await list({ deposited: "true" })).toEqual([]);
    expect(await list({ deposited: "false", status: "approved" })).toEqual(["1021"]);
    const unknown = { query: { firm_id: 999_999_999 } };
    expect(await admin.ask(contract.listChecks, unknown)).toMatchObject({
      status: 404,
      message: "There is no such firm.",
    });
  });

  test("is searched by number, amount, payer and lawyer", async () => {
    await record(ofFirm());
    await record(withCredit({ check_number: "A-77", shares: {}, amount: "40" }));
    const zoe = await makeAttorney(app.db, network, { firstName: "Zoe", lastName: "Quill" });
    const hers = await makeDebit(app.db, network, zoe);
    const body = { payment_hash: { [hers]: "12.34" }, check_number: "8800" };
    await admin.call(payByCheck, { body });
    expect(await list({ search: "a-7" })).toEqual(["A-77"]);
    expect(await list({ search: "88" })).toEqual(["8800"]);
    expect(await list({ search: "$12.34" })).toEqual(["8800"]);
    expect(await list({ search: "200" })).toEqual(["1020"]);
    expect(await list({ search: "quill zoe" })).toEqual(["8800"]);
    expect(await list({ search: "ben" })).toEqual(["1020"]);
    expect(await list({ search: "okafor &" })).toEqual(["1020"]);
    expect(await list({ search: "okafor" })).toEqual(["A-77", "1020"]);
    expect(await list({ search: "nobody" })).toEqual([]);
    expect(await list({ search: "%" })).toEqual([]);
  });
});

describe("deciding checks", () => {
  test("approves and denies many in one call", async () => {
    const one = await record(ofFirm());
    const two = await record(withCredit({ shares: {}, amount: "40" }));
    const { status, object } = await decide({ approve: [one.id], deny: [two.id] });
    expect(status).toBe(200);
    expect(object.map((check) => [check.checkNumber, check.status])).toEqual([
      ["1021", "denied"],
      ["1020", "approved"],
    ]);
    expect(await standing()).toEqual([
      { balance: 0, pending: 0 },
      { balance: 0, pending: 0 },
      { balance: 3_000, pending: 0 },
    ]);
    expect(await creditsOf(app.db, network)).toEqual([]);
    expect((await subjects()).slice(3)).toEqual([
      "Your part of check 1020 of Okafor & Lane for $150.00 is approved",
      "Your part of check 1020 of Okafor & Lane for $50.00 is approved",
      "Your check 1021 for $40.00 was not accepted",
    ]);
    expect((await mails()).at(-1)?.body).toContain("  Credit, not received: $40.00\n");
    await expectSoundLedger();
  });

  test("is all or nothing", async () => {
    const one = await record(ofFirm());
    const two = await record(withCredit({ shares: {}, amount: "40", approve: true }));
    const before = await counts();
    expect(await decide({ approve: [one.id, two.id] })).toMatchObject({
      status: 409,
      message: "Check 1021 has already been approved. Reload to see it.",
    });
    expect(await decide({ approve: [one.id], deny: [999_999_999] })).toMatchObject({
      status: 404,
      message: "There is no such check.",
    });
    expect(await decide({ approve: [one.id], deny: [one.id] })).toMatchObject({
      status: 422,
      message: "A check may be named only once.",
    });
    expect(await decide({})).toMatchObject({
      status: 422,
      message: "Choose at least one check to approve or deny.",
    });
    const elsewhere = await signedIn(app, "admin", await makeNetwork(app.db));
    const asked = { body: { approve: [one.id] } };
    expect((await elsewhere.ask(contract.decideWholeChecks, asked)).status).toBe(404);
    expect(await counts()).toEqual(before);
    expect((await standing()).map(({ pending }) => pending)).toEqual([10_000, 5_000, 5_000]);
  });

  test("share by share gives the same records, and what is left is decided whole", async () => {
    const shares = { [dues]: "100", [panel]: "50" };
    const credits = { [attorney.id]: "40" };
    const made = await record(withCredit({ amount: "190", shares, credits }));
    const [first, second] = made.shares;
    const statuses = { [first?.shareId ?? 0]: "approved" };
    await admin.call(confirmChecks, { body: { statuses } });
    expect(await creditsOf(app.db, network)).toEqual([]);
    expect(await list({ status: "pending" })).toEqual(["1021"]);
    const { object } = await decide({ deny: [made.id] });
    expect(object).toMatchObject([
      {
        status: "mixed",
        shares: [{ status: "approved" }, { shareId: second?.shareId, status: "denied" }],
      },
    ]);
    expect(await creditsOf(app.db, network)).toMatchObject([{ left: 4_000 }]);
    const query = { record_type: "received check", record_id: made.id };
    expect((await admin.call(listActivity, { query })).items[0]).toMatchObject({
      action: "denied check",
      after: { status: "mixed", amount: "50.00" }, // neither what was approved nor the credit
    });
    expect((await subjects()).slice(1)).toEqual([
      "Your check 1021 for $100.00 is approved",
      "Your check 1021 for $50.00 was not accepted",
      "Your check 1021 for $40.00 brought you credit",
    ]);
    expect(await decide({ approve: [made.id] })).toMatchObject({
      status: 409,
      message: "Check 1021 has already been decided. Reload to see it.",
    });
    await expectSoundLedger();
  });

  test("share by share to the end brings the credit with the last one", async () => {
    const made = await record(withCredit());
    const statuses = { [made.shares[0]?.shareId ?? 0]: "approved" };
    await admin.call(confirmChecks, { body: { statuses } });
    expect(await creditsOf(app.db, network)).toMatchObject([{ left: 4_000 }]);
    expect((await subjects()).slice(1)).toEqual([
      "Your check 1021 for $90.00 is approved",
      "Your check 1021 for $40.00 brought you credit",
    ]);
  });

  test("takes checks that were recorded from the dashboard", async () => {
    const body = { payment_hash: { [dues]: "60" }, check_number: "5" };
    await lawyer.call(payByCheck, { body });
    const [check] = (await admin.ask(contract.listChecks)).object.items;
    expect(check).toMatchObject({
      checkNumber: "5",
      amount: "60.00",
      payer: { kind: "attorney", id: attorney.id, name: "Maya Okafor" },
    });
    await decide({ approve: [check?.id ?? 0] });
    expect(await standingOf(app.db, dues)).toEqual({ balance: 4_000, pending: 0 });
  });
});

describe("a returned check", () => {
  test("is owed again, charged with a fee, mailed, and says so everywhere", async () => {
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
        subject: "A check of your firm was returned by the bank",
        body: `Dear Maya,

The bank returned check 1020 of Okafor & Lane on 11/20/2026.

These amounts are owed again:

  Panel dues, due 01/31/2026: $100.00
  Experience panel (Family law), due 02/28/2026: $50.00

A fee of $35.00 for the returned check is charged to your account.

Together, you owe $185.00 for it.

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

  test("takes its credit back, also from the debits and the attorney that had it", async () => {
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
      .selectFrom("creditEntries")
      .select(["kind", "debitId", "amountCents", "cause"])
      .where("networkId", "=", network.id)
      .where("kind", "=", "reversed")
      .orderBy("id")
      .execute();
    const cause = "Check 1021 was returned";
    expect(entries).toEqual([
      { kind: "reversed", debitId: panel, amountCents: 2_000, cause },
      { kind: "reversed", debitId: dues, amountCents: 1_000, cause },
      { kind: "reversed", debitId: null, amountCents: -5_500, cause },
    ]);
    expect((await mails()).at(-1)).toMatchObject({
      subject: "Your check was returned by the bank",
      body: `Dear Maya,

The bank returned your check 1021 on 11/20/2026.

These amounts are owed again:

  Panel dues, due 01/31/2026: $100.00
  Experience panel (Family law), due 02/28/2026: $20.00

$25.00 of credit that it brought is taken off your account.

$5.00 of credit that it brought was given back to you, and is charged to your account.

Together, you owe $125.00 for it.

Your account:`,
    });
    await expectSoundLedger();
  });

  test("that is credit alone, or mixed, gives back what it brought", async () => {
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

  test("charges its fee to the largest part, of equal ones to the lowest id", async () => {
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

  test("is refused twice, and before it is approved", async () => {
    const { id } = await record(ofFirm());
    const refusals = async (message: string) => {
      expect(await bounce(id)).toMatchObject({ status: 409, message });
      expect(await preview(id)).toMatchObject({ status: 409, message });
    };
    await refusals("Check 1020 still awaits a decision: deny it instead.");
    await decide({ approve: [id] });
    await bounce(id);
    await refusals("Check 1020 has already been returned, on 11/20/2026.");
    const denied = await record(ofFirm());
    await decide({ deny: [denied.id] });
    const message = "Check 1020 was denied: nothing that it paid can be returned.";
    expect(await bounce(denied.id)).toMatchObject({ status: 409, message });
    expect((await bounce(999_999_999)).status).toBe(404);
    expect(await bounce(id, { returned_on: "2026-11-21" })).toMatchObject({
      status: 422,
      message: "The day of the return must not be in the future.",
    });
    expect(await bounce(id, { returned_on: "2025-11-19" })).toMatchObject({
      status: 422,
      message: "The day of the return must be at most a year back, 11/20/2025 or later.",
    });
    expect((await bounce(id, { fee: "0" })).status).toBe(422);
  });

  test("leaves its debits to be paid and adjusted as before", async () => {
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

  test("of credit alone has what became of its check", async () => {
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

describe("the history", () => {
  test("of a check, and of each of its attorneys, tells what became of it", async () => {
    const { id, shares } = await record(ofFirm({ note: "By mail." }));
    const statuses = { [shares[0]?.shareId ?? 0]: "approved" };
    await admin.call(confirmChecks, { body: { statuses } });
    await decide({ approve: [id] });
    await bounce(id, { fee: "35" });
    const history = async (query: object) =>
      (await admin.call(listActivity, { query: { ...query } })).items;
    const ofCheck = await history({ record_type: "received check", record_id: id });
    const name = "Check 1020 of $200.00";
    expect(ofCheck).toMatchObject([
      {
        action: "returned check",
        recordName: name,
        attorneyId: null,
        before: { status: "approved" },
        after: { status: "returned", returnedOn: "2026-11-20", owedAgain: "200.00", fee: "35.00" },
      },
      {
        action: "approved check",
        recordType: "received check",
        before: { status: "pending" },
        after: { amount: "100.00" },
      },
      { action: "approved check", recordType: "payment", after: { amount: "100.00" } },
      {
        action: "recorded check",
        after: { checkNumber: "1020", payer: "Okafor & Lane", amount: "200.00", note: "By mail." },
      },
    ]);
    const bensHistory = (await history({ attorney_id: ben.id })).map(({ action }) => action);
    expect(bensHistory).toEqual(["returned check", "approved check", "recorded check"]);
    const mayas = (await history({ attorney_id: attorney.id })).map(({ action }) => action);
    expect(mayas).toEqual([
      "returned check",
      "charged",
      "approved check",
      "approved check",
      "recorded check",
    ]);
  });
});
