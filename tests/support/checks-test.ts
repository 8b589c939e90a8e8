import { expect } from "vitest";
import * as contract from "#payments/checks/contract.ts";
import { type MadeAttorney } from "#main/demo/records/attorneys.ts";
import { makeAttorney } from "#tests/support/records/attorneys.ts";
import { makeDebit } from "#tests/support/records/dues.ts";
import { verifyLedger } from "#dues/ledger/verify-ledger.ts";
import { admin, app, appTest, attorney, network } from "#tests/support/app-test.ts";
import { ledgerOffences, standingOf } from "#tests/support/ledger.ts";
import { mailsOf } from "#tests/support/mails.ts";
import { aFirm } from "#tests/support/received-checks.ts";

/*
 * The base of tests of received checks: a firm of two lawyers who owe dues, and an administrator's work with
 * its checks. As in app-test.ts, names refer to the running test's own records.
 */

/** The firm Okafor & Lane: Maya Okafor, who is the attorney of the test, and Ben Lane. */
export let firm: number;
export let ben: MadeAttorney;
/** Maya's debits of $100.00 and $50.00, and Ben's of $80.00. */
export let dues: number;
export let panel: number;
export let bens: number;

/** `appTest` at noon of 11/20/2026, with the firm in each test. */
export function checksTest() {
  const test = appTest({
    clock: "2026-11-20T16:00:00Z",
    network: { name: "Harbor County" },
    attorney: { firstName: "Maya", lastName: "Okafor" },
    lawyer: true,
  });
  // Registered on this `test`, so that its people exist.
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
  return test;
}

type Wanted = Partial<{
  check_number: string;
  amount: string;
  received_on: string;
  attorney_id: number;
  firm_id: number;
  shares: Record<number, string>;
  credits: Record<number, string>;
  approve: boolean;
  another_check: boolean;
  note: string;
}>;

/** A check of the firm for $200.00: everything Maya owes and $50.00 of Ben's debit. */
export const ofFirm = (wanted: Wanted = {}) => ({
  check_number: "1020",
  amount: "200.00",
  received_on: "2026-11-20",
  firm_id: firm,
  shares: { [dues]: "100.00", [panel]: "50.00", [bens]: "50.00" },
  ...wanted,
});

/** A check of Maya's own for $130.00: $90.00 on her dues, $40.00 as credit. */
export const withCredit = (wanted: Wanted = {}) => ({
  check_number: "1021",
  amount: "130.00",
  received_on: "2026-11-20",
  attorney_id: attorney.id,
  shares: { [dues]: "90.00" },
  credits: { [attorney.id]: "40.00" },
  ...wanted,
});

/** Amounts are text, as on the wire. */
export async function record(body: object) {
  const { status, object, text } = await admin.ask(contract.recordWholeCheck, { body });
  expect([status, text]).toEqual([200, text]);
  return object;
}
export const refusal = async (body: object) => {
  const { status, message, errors } = await admin.ask(contract.recordWholeCheck, { body });
  return [status, message, errors[0]?.path];
};
export const decide = (body: { approve?: number[]; deny?: number[] }) =>
  admin.ask(contract.decideWholeChecks, { body });
export const bounce = (id: number, body: object = {}) =>
  admin.ask(contract.returnCheck, { params: { id }, body: { returned_on: "2026-11-20", ...body } });
export const preview = (id: number) => admin.ask(contract.previewReturn, { params: { id } });
export const list = async (query: object = {}) =>
  (await admin.call(contract.listChecks, { query: { ...query } })).items.map(
    (check) => check.checkNumber,
  );
export const mails = () => mailsOf(app.db, network);
export const subjects = async () => (await mails()).map(({ subject }) => subject);
export const standing = () => Promise.all([dues, panel, bens].map((id) => standingOf(app.db, id)));

/** A number to compare: a refused call leaves no record behind. */
export async function counts() {
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

export async function expectSoundLedger() {
  expect(await ledgerOffences(app.db, network.id)).toEqual([]);
  const checks = await verifyLedger(app.db, network.id);
  expect(checks.filter((check) => check.offenders > 0)).toEqual([]);
}
