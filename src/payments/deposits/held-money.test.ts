import { sql } from "kysely";
import { beforeEach, describe, expect } from "vitest";
import { previewReturn, recordWholeCheck, returnCheck } from "#payments/checks/contract.ts";
import { type MadeAttorney } from "#main/demo/records/attorneys.ts";
import { makeAttorney } from "#tests/support/records/attorneys.ts";
import { makeNetwork } from "#tests/support/records/networks.ts";
import {
  changeDeposit,
  giveHeldMoneyBack,
  listHeldMoney,
  makeDeposit,
  makeHeldMoneyCredit,
} from "#payments/deposits/contract.ts";
import { changeCredit, showCredit } from "#dues/ledger/contract.ts";
import { verifyLedger } from "#dues/ledger/verify-ledger.ts";
import { confirmChecks, showReceipt } from "#payments/contract.ts";
import { listPayments } from "#payments/payments.list.ts";
import { showOverview } from "#office/desk/today/contract.ts";
import { admin, app, appTest, attorney, network } from "#tests/support/app-test.ts";
import { aChargedDebit } from "#tests/support/check-records.ts";
import { mailsOf } from "#tests/support/mails.ts";
import { aFirm } from "#tests/support/received-checks.ts";
import { signedIn } from "#tests/support/visitor.ts";

/* The bank also has the denied part of a deposited check: it is held for the payer. Source: book rule 3. */

const test = appTest({
  asOwner: true,
  clock: "2026-05-10T16:00:00Z",
  network: {},
  attorney: { firstName: "Maya", lastName: "Okafor" },
});

let ben: MadeAttorney;
let firm: number;
/** Debits of $100.00 each: two of Maya's, one of Ben's. */
let dues: number;
let panel: number;
let bens: number;

beforeEach(async () => {
  ben = await makeAttorney(app.db, network, { firstName: "Ben", lastName: "Lane" });
  firm = await aFirm(app.db, network, [attorney, ben], "Okafor & Lane");
  [dues, panel] = [await aDebit(attorney), await aDebit(attorney)];
  bens = await aDebit(ben);
});

const aDebit = (of: Pick<MadeAttorney, "id">) =>
  aChargedDebit(app.db, network, of, { amountCents: 10_000 });

interface Decided {
  number?: string;
  payer?: { attorney_id: number } | { firm_id: number };
  approved: Record<number, string>;
  denied: Record<number, string>;
  credits?: Record<number, string>;
}

/** A check with some shares approved and others denied. Answers its id. */
async function mixedCheck({ number = "55", approved, denied, credits, payer }: Decided) {
  const shares = { ...approved, ...denied };
  const amount = [...Object.values(shares), ...Object.values(credits ?? {})].reduce(
    (added, part) => added + Number(part),
    0,
  );
  const check = await admin.call(recordWholeCheck, {
    body: {
      check_number: number,
      amount: amount.toFixed(2),
      received_on: "2026-05-08",
      ...(payer ?? { attorney_id: attorney.id }),
      shares,
      ...(credits && { credits }),
    },
  });
  const statuses = Object.fromEntries(
    check.shares.map(({ shareId, debitId }) => [
      shareId,
      debitId in denied ? ("denied" as const) : ("approved" as const),
    ]),
  );
  await admin.call(confirmChecks, { body: { statuses } });
  return check.id;
}

async function banked(...checks: number[]): Promise<void> {
  const { id } = await admin.call(makeDeposit, {
    body: { check_ids: checks, deposited_on: "2026-05-09", account_name: "Operating" },
  });
  await admin.call(changeDeposit, {
    params: { id },
    body: { status: "banked", banked_on: "2026-05-09" },
  });
}

/** Maya's banked check 55 for $70.00, with $30.00 denied. Answers its id. */
async function heldCheck(also: Partial<Decided> = {}): Promise<number> {
  const check = await mixedCheck({
    approved: { [dues]: "40.00" },
    denied: { [panel]: "30.00" },
    ...also,
  });
  await banked(check);
  return check;
}

const held = () => admin.call(listHeldMoney);
const giveBack = (id: number, body: object = {}) =>
  admin.ask(giveHeldMoneyBack, {
    params: { id },
    body: { account_name: "Operating", note: "Our check 901", ...body },
  });
const toCredit = (id: number, attorneyId = attorney.id) =>
  admin.ask(makeHeldMoneyCredit, { params: { id }, body: { attorney_id: attorneyId } });
const bounce = (id: number) =>
  admin.ask(returnCheck, { params: { id }, body: { returned_on: "2026-05-10" } });

/** The sums of the entries in each account that holds check money, in cents. */
async function accounts(): Promise<Record<string, number>> {
  const { rows } = await sql<{ account: string; cents: number }>`
    select account, sum(cents)::bigint as cents from entries
    cross join lateral (values (to_account, amount_cents), (from_account, -amount_cents)) as line (account, cents)
    where network_id = ${network.id} and account ~ '^(undeposited|bank|held|credit)'
    group by account having sum(cents) <> 0 order by account`.execute(app.db);
  return Object.fromEntries(rows.map(({ account, cents }) => [account, cents]));
}

async function faults(): Promise<Record<string, string[]>> {
  const results = await verifyLedger(app.db, network.id);
  return Object.fromEntries(
    results
      .filter(({ offenders }) => offenders > 0)
      .map(({ name, examples }) => [name, examples.map(({ offence }) => offence)]),
  );
}

describe("the denied part of a check", () => {
  test("is held from the day it is banked, and listed with its payer and on Today", async () => {
    const check = await mixedCheck({ approved: { [dues]: "40.00" }, denied: { [panel]: "30.00" } });
    expect(await held()).toMatchObject({ items: [], total: 0, amount: 0 });
    await banked(check);
    const ofFirm = await mixedCheck({
      number: "56",
      payer: { firm_id: firm },
      approved: { [dues]: "10.00" },
      denied: { [bens]: "5.00" },
    });
    await banked(ofFirm);
    expect(await held()).toEqual({
      items: [
        {
          id: check,
          checkId: check,
          checkNumber: "55",
          payerName: "Maya Okafor",
          amount: 3000,
          since: "2026-05-09",
          accountName: "Operating",
          attorneys: [{ id: attorney.id, name: "Maya Okafor" }],
        },
        expect.objectContaining({
          id: ofFirm,
          payerName: "Okafor & Lane",
          amount: 500,
          attorneys: [
            { id: ben.id, name: "Ben Lane" },
            { id: attorney.id, name: "Maya Okafor" },
          ],
        }),
      ],
      total: 2,
      page: 1,
      perPage: 50,
      amount: 3500,
    });
    const { attention } = await admin.call(showOverview);
    expect(attention.find(({ kind }) => kind === "held_money")).toMatchObject({
      count: 2,
      amount: 3500,
      path: "/admin/deposits",
    });
    const stranger = await signedIn(app, "admin", await makeNetwork(app.db));
    expect(await stranger.call(listHeldMoney)).toMatchObject({ items: [], total: 0 });
    expect(await faults()).toEqual({});
  });

  test("is refunded from a bank account, once", async () => {
    const check = await heldCheck();
    expect(await giveBack(check, { note: " " })).toMatchObject({
      status: 422,
      message: "Enter a note that says how the money was refunded.",
    });
    expect(await giveBack(check, { account_name: "Trust" })).toMatchObject({
      status: 200,
      object: { id: check, amount: "30.00" },
    });
    expect(await accounts()).toEqual({ "bank:Operating": 7000, "bank:Trust": -3000 });
    expect(await held()).toMatchObject({ items: [], total: 0, amount: 0 });
    const again = { status: 409, message: "No money is held from check 55 any more." };
    expect(await giveBack(check)).toMatchObject(again);
    expect(await toCredit(check)).toMatchObject(again);
    expect(await faults()).toEqual({});
  });

  test("becomes credit of one of the check's attorneys, once", async () => {
    const check = await heldCheck({ credits: { [attorney.id]: "20.00" } });
    expect(await toCredit(check, ben.id)).toMatchObject({
      status: 422,
      message: "Check 55 has no payment for this attorney. Choose another.",
      errors: [{ path: "attorney_id" }],
    });
    expect((await toCredit(check, 999_999_999)).status).toBe(404);
    expect(await toCredit(check)).toMatchObject({ status: 200, object: { amount: "30.00" } });
    // The check gave one attorney two credits.
    expect(await admin.call(showCredit, { params: { id: attorney.id } })).toMatchObject({
      credit: 5000,
      entries: [
        { kind: "received", amount: 3000, cause: "Denied part of check 55" },
        { kind: "received", amount: 2000, cause: "Check 55" },
      ],
    });
    expect(await accounts()).toEqual({ "bank:Operating": 9000, credit: -5000 });
    const again = { status: 409, message: "No money is held from check 55 any more." };
    expect(await toCredit(check)).toMatchObject(again);
    expect(await giveBack(check)).toMatchObject(again);
    expect(await faults()).toEqual({});
  });

  test("of a firm's check becomes one attorney's credit, and each payment still adds up", async () => {
    const bensPanel = await aDebit(ben);
    const check = await heldCheck({
      payer: { firm_id: firm },
      approved: { [dues]: "50.00", [bens]: "70.00" },
      denied: { [panel]: "50.00", [bensPanel]: "30.00" },
    });
    await toCredit(check);
    const { items, totals } = await admin.call(listPayments);
    const parts = items.map(({ attorneyName, amount, denied, received }) => [
      attorneyName,
      amount,
      denied,
      received,
    ]);
    expect(new Set(parts)).toEqual(
      new Set([
        ["Ben Lane", 10_000, 3000, 7000],
        ["Maya Okafor", 10_000, 0, 10_000],
      ]),
    );
    expect(totals.parts).toEqual([
      { status: "received", amount: 17_000 },
      { status: "partly_denied", amount: 3000 },
    ]);
    const mayas = items.find(({ attorneyId }) => attorneyId === attorney.id)?.id ?? 0;
    expect(await admin.call(showReceipt, { params: { id: mayas } })).toMatchObject({
      received: 10_000,
      credit: 5000,
    });
  });

  test("is refunded or becomes credit once, however many try at the same time", async () => {
    const check = await heldCheck();
    const fourTimes = async (press: (of: number) => Promise<{ status: number }>) => {
      const replies = await Promise.all([1, 2, 3, 4].map(async () => await press(check)));
      const statuses = replies.map(({ status }) => status);
      expect(statuses.every((status) => status === 200 || status === 409)).toBe(true);
      return statuses.filter((status) => status === 200).length;
    };
    const [givenBack = 0, credited = 0, returned = 0] = await Promise.all(
      [giveBack, toCredit, bounce].map(fourTimes),
    );
    expect(returned).toBe(1);
    expect(givenBack + credited).toBeLessThanOrEqual(1); // zero if the check was returned first
    expect(await faults()).toEqual({});
  });

  test("of another network, or unknown, is 404", async () => {
    const check = await heldCheck();
    const stranger = await signedIn(app, "admin", await makeNetwork(app.db));
    const body = { account_name: "Operating", note: "Ours" };
    expect((await stranger.ask(giveHeldMoneyBack, { params: { id: check }, body })).status).toBe(
      404,
    );
    expect(await held()).toMatchObject({ total: 1 });
  });
});

describe("a check that the bank returns", () => {
  test("ends its held money", async () => {
    const check = await heldCheck();
    expect((await bounce(check)).status).toBe(200);
    expect(await accounts()).toEqual({});
    expect(await held()).toMatchObject({ total: 0 });
    expect(await giveBack(check)).toMatchObject({ status: 409 });
    expect(await faults()).toEqual({});
  });

  test("is charged to its payer if its denied part was already refunded", async () => {
    const check = await heldCheck();
    await giveBack(check);
    expect(await admin.call(previewReturn, { params: { id: check } })).toMatchObject({
      reopened: 4000,
      creditCharged: 0,
      heldCharged: 3000,
      feeAttorneyId: attorney.id,
    });
    expect((await bounce(check)).status).toBe(200);
    expect(await accounts()).toEqual({ "bank:Operating": -3000 });
    const charge = await app.db
      .selectFrom("charges")
      .select(["name", "amountCents"])
      .where("networkId", "=", network.id)
      .orderBy("id", "desc")
      .executeTakeFirstOrThrow();
    expect(charge).toEqual({ name: "Denied part of returned check 55", amountCents: 3000 });
    const [mail] = (await mailsOf(app.db, network)).filter(({ subject }) =>
      /returned/i.test(subject),
    );
    expect(mail?.body).toContain(
      "$30.00 of this check was not accepted and was refunded. It is now charged to your account.",
    );
    expect(mail?.body).toContain("In total, you owe $70.00 for this check.");
    expect(await faults()).toEqual({});
  });

  test("from a firm is charged to the attorney who would pay the fee", async () => {
    const check = await heldCheck({
      payer: { firm_id: firm },
      approved: { [dues]: "10.00", [bens]: "20.00" },
      denied: { [panel]: "5.00" },
    });
    await giveBack(check);
    expect(await admin.call(previewReturn, { params: { id: check } })).toMatchObject({
      heldCharged: 500,
      feeAttorneyId: ben.id,
    });
    expect((await bounce(check)).status).toBe(200);
    const { attorneyId } = await app.db
      .selectFrom("debits")
      .select("attorneyId")
      .where("networkId", "=", network.id)
      .orderBy("id", "desc")
      .executeTakeFirstOrThrow();
    expect(attorneyId).toBe(ben.id);
    expect(await faults()).toEqual({});
  });

  test("reverses the credit that its denied part became, like its other credit", async () => {
    const check = await heldCheck({ credits: { [attorney.id]: "20.00" } });
    await toCredit(check);
    await admin.call(changeCredit, {
      params: { id: attorney.id },
      body: { action: "give_back", amount: "25.00", note: "Our check 902" },
    });
    await admin.call(changeCredit, {
      params: { id: attorney.id },
      body: { action: "apply", amount: "15.00", debit_id: panel },
    });
    expect(await admin.call(previewReturn, { params: { id: check } })).toMatchObject({
      debits: 1,
      reopened: 4000,
      creditTakenBack: 1000,
      creditTakenOff: 1500,
      creditCharged: 2500,
      heldCharged: 0,
      mailed: [{ attorneyId: attorney.id }],
    });
    expect((await bounce(check)).status).toBe(200);
    expect(await accounts()).toEqual({ "bank:Operating": -2500 });
    expect(await admin.call(showCredit, { params: { id: attorney.id } })).toMatchObject({
      credit: 0,
    });
    expect(await faults()).toEqual({});
  });
});

describe("the database", () => {
  test("refuses credit without its entry, and taking held money twice", async () => {
    const check = await heldCheck();
    const { id: paymentId } = await app.db
      .selectFrom("payments")
      .select("id")
      .where("receivedCheckId", "=", check)
      .executeTakeFirstOrThrow();
    await expect(
      sql`insert into credits (network_id, attorney_id, payment_id, amount_cents)
        values (${network.id}, ${attorney.id}, ${paymentId}, 3000)`.execute(app.db),
    ).rejects.toThrow("Credit is received by an entry of its amount.");
    const taken = sql`
      insert into entries (network_id, cause, from_account, to_account, amount_cents, day, received_check_id)
      values (${network.id}, 'held_given_back', 'bank:Operating', 'held', 3000, '2026-05-10', ${check})`;
    await taken.execute(app.db);
    await expect(taken.execute(app.db)).rejects.toThrow("entries_held_once");
  });

  test("is verified: held money equals the denied, banked parts and leaves only as a whole", async () => {
    const check = await heldCheck();
    const damage = async (statement: string) => {
      await app.db.connection().execute(async (connection) => {
        await sql.raw("alter table entries disable trigger user").execute(connection);
        await sql.raw(statement).execute(connection);
        await sql.raw("alter table entries enable trigger user").execute(connection);
      });
    };
    await damage(
      `update entries set amount_cents = 2000 where cause = 'held' and network_id = ${network.id}`,
    );
    expect((await faults())["held"]).toEqual([
      `check 55 (${check}), mixed, denied 30.00: held 20.00, left 0.00`,
    ]);
    await damage(
      `update entries set amount_cents = 3000 where cause = 'held' and network_id = ${network.id}`,
    );
    await damage(`insert into entries (network_id, cause, from_account, to_account, amount_cents, day, attorney_id, received_check_id)
      select network_id, 'held_given_back', 'bank:Operating', 'held', 1000, network_day(network_id), attorney_id, id
      from received_checks where network_id = ${network.id} and id = ${check}`);
    expect(await faults()).toEqual({
      held: [`check 55 (${check}), mixed, denied 30.00: held 30.00, left 10.00`],
    });
  });
});
