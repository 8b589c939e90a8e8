import type { Locator } from "playwright-core";
import { beforeEach } from "vitest";
import { cents, dollarsText } from "#kit/domain/money.ts";
import { recordWholeCheck } from "#payments/checks/contract.ts";
import { type MadeAttorney } from "#main/demo/records/attorneys.ts";
import { makeAttorney } from "#tests/support/records/attorneys.ts";
import { makeDebit } from "#tests/support/records/dues.ts";
import { admin, app, attorney, network } from "#tests/support/app-test.ts";
import { standingOf } from "#tests/support/ledger.ts";
import { page, pageTest } from "#tests/support/page-test.ts";
import { aFirm } from "#tests/support/received-checks.ts";

/* Received checks on an administrator's screens, and a firm of three lawyers who owe dues. */

/** The firm Hale & Finch LLP: Dora Finch; Quentin Hale is the attorney of the test, Nora Finch the third. */
export let finch: MadeAttorney;
export let firm: number;
/** What the firm's three lawyers owe, oldest first: $435.00 in total. */
export let debits: number[];

/** `pageTest` at noon of 11/20/2026 in the network's time zone, with the firm in each test. */
export function checksPageTest() {
  const test = pageTest({
    clock: "2026-11-20T17:00:00Z",
    network: {},
    attorney: { firstName: "Quentin", lastName: "Hale" },
    by: "admin",
  });
  beforeEach(async () => {
    finch = await makeAttorney(app.db, network, { firstName: "Dora", lastName: "Finch" });
    const nora = await makeAttorney(app.db, network, { firstName: "Nora", lastName: "Finch" });
    firm = await aFirm(app.db, network, [attorney, finch, nora], "Hale & Finch LLP");
    const owed = async (of: MadeAttorney, planName: string, amountCents: number, dueOn: string) =>
      await makeDebit(app.db, network, of, { planName, amountCents, dueOn });
    debits = [
      await owed(finch, "Annual registration", 25_000, "2026-01-10"),
      await owed(attorney, "Panel membership dues", 7_500, "2026-11-01"),
      await owed(finch, "Panel membership dues", 7_500, "2026-11-01"),
      await owed(nora, "Experience panel", 3_500, "2026-11-15"),
    ];
  });
  return test;
}

/**
 * A check on debits of the firm or of one attorney, oldest first, and on credit, in cents. Returns its id.
 */
export async function aCheck(
  checkNumber: string,
  amount: number,
  more: { credits?: Record<string, number>; approve?: boolean; attorney?: MadeAttorney } = {},
): Promise<number> {
  const { credits = {}, approve = false, attorney: payer } = more;
  let left = amount - Object.values(credits).reduce((all, one) => all + one, 0);
  const shares: Record<string, string> = {};
  for (const debit of payer ? debits.slice(1, 2) : debits) {
    const { balance, pending } = await standingOf(app.db, debit);
    const part = Math.min(left, balance - pending);
    if (part > 0) shares[debit] = dollars(part);
    left -= part;
  }
  const { id } = await admin.call(recordWholeCheck, {
    body: {
      check_number: checkNumber,
      amount: dollars(amount),
      received_on: "2026-11-20",
      ...(payer ? { attorney_id: payer.id } : { firm_id: firm }),
      shares,
      credits: Object.fromEntries(Object.entries(credits).map(([id, part]) => [id, dollars(part)])),
      approve,
    },
  });
  return id;
}

const dollars = (amount: number): string => dollarsText(cents(amount));

/** The check box of a check in the list. */
export const box = (number: string) =>
  page.getByRole("checkbox", { name: new RegExp(`^Choose check ${number} `) });

export const isFocused = (field: Locator) =>
  field.evaluate((element) => element === document.activeElement);
