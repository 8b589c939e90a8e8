import { beforeEach, expect } from "vitest";
import { cents, dollarsText } from "#domain/money.ts";
import { recordWholeCheck } from "#features/checks/contract.ts";
import { makeAttorney, type MadeAttorney } from "#features/demo/records/attorneys.ts";
import { aFirm } from "#tests/support/received-checks.ts";
import { makeDebit } from "#features/demo/records/dues.ts";
import { standingOf } from "#tests/support/ledger.ts";
import { admin, app, attorney, network } from "#tests/support/app-test.ts";
import { page, pageTest, watched } from "#tests/support/page-test.ts";
import { barriersOf, overflowOnPhone } from "#tests/support/watched-page.ts";

/* More of recording checks than its journeys: what is refused is proven by src/features/checks. */

/** Noon of 11/20/2026 in the network's time zone, for the server and the browser alike. */
const clock = "2026-11-20T17:00:00Z";

const test = pageTest({
  clock,
  network: {},
  attorney: { firstName: "Quentin", lastName: "Hale" },
  by: "admin",
});

let finch: MadeAttorney;
let nora: MadeAttorney;
let firm: number;
/** What the firm's three lawyers owe, the oldest first: $435.00 in all. */
let debits: number[];

beforeEach(async () => {
  finch = await makeAttorney(app.db, network, { firstName: "Dora", lastName: "Finch" });
  nora = await makeAttorney(app.db, network, { firstName: "Nora", lastName: "Finch" });
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

test("whoever types faster than the debits come stops at the button that will place the check", async () => {
  const asked = Promise.withResolvers<void>();
  await page.route(/\/debits\?/, async (route) => {
    await asked.promise;
    await route.continue();
  });
  await page.goto(`/admin/checks/new?firm_id=${firm}`);
  await expect.poll(() => isFocused(page.getByLabel("Number"))).toBe(true);
  for (const typed of ["10443", "100", "11/20/2026"]) {
    await page.keyboard.type(typed);
    await page.keyboard.press("Enter");
  }
  const place = page.getByRole("region", { name: "What the check is for" }).getByRole("button");
  await expect.poll(() => isFocused(place)).toBe(true);
  await page.keyboard.press("Enter"); // nothing to place it on yet
  await page.getByText("Still to place: $100.00").waitFor();
  asked.resolve();
  await page.getByRole("button", { name: "Oldest first" }).waitFor();
  await page.keyboard.press("Enter");
  await page.getByText("Still to place: $0.00").waitFor();
});

test("three checks in a row are recorded without the mouse, and the day stays", async () => {
  await page.goto(`/admin/checks/new?attorney_id=${attorney.id}`);
  for (const number of ["2001", "2002", "2003"]) {
    if (number !== "2001") {
      await page.keyboard.type("quentin");
      await page.getByRole("option", { name: /^Quentin Hale/ }).waitFor();
      await page.keyboard.press("Enter");
    }
    await expect.poll(() => isFocused(page.getByLabel("Number"))).toBe(true);
    await page.keyboard.type(number);
    await page.keyboard.press("Enter");
    await page.keyboard.type("20");
    await page.keyboard.press("Enter");
    if (number === "2001") await page.keyboard.type("11/18/2026");
    await expect.poll(() => page.getByLabel("Received on").inputValue()).toBe("11/18/2026");
    await page.getByRole("button", { name: "Oldest first" }).waitFor();
    await page.keyboard.press("Enter");
    await page.keyboard.press("Enter");
    await page.getByText("Still to place: $0.00").waitFor();
    await page.keyboard.press("Control+Enter");
    await page.getByText(`Check ${number} of $20.00`).waitFor();
  }
  await expect
    .poll(() => page.getByRole("table", { name: "Recorded just now" }).innerText())
    .toMatch(/2003[^]*2002[^]*2001[^]*3 in all[^]*\$60\.00/);
});

test("what does not add up is said at its field and at the top; the server's refusal keeps what was typed", async () => {
  await admin.call(recordWholeCheck, {
    body: {
      check_number: "77",
      amount: "10",
      received_on: "2026-11-20",
      firm_id: firm,
      shares: { [debits[0] ?? 0]: "10" },
    },
  });
  await page.goto(`/admin/checks/new?firm_id=${firm}`);
  await page.getByText("Pending 1").or(page.getByText("$10.00 pending")).first().waitFor();
  await page.getByRole("button", { name: "Record check" }).click();
  await page.getByRole("link", { name: "Enter a number." }).waitFor();
  await page.getByRole("link", { name: /^Enter an amount in dollars/ }).click();
  await page.keyboard.type("100");
  await page.getByLabel(/^Part for Quentin Hale/).fill("80");
  await page.getByLabel("Number").fill("77");
  await page.keyboard.press("Control+Enter");
  await page.getByRole("link", { name: /^Quentin Hale.*Enter at most \$75\.00/ }).click();
  await page.keyboard.press("ControlOrMeta+A");
  await page.keyboard.type("60");
  await page.keyboard.press("Control+Enter");
  await page
    .getByRole("link", { name: "$40.00 is still to place: on debits, or as credit." })
    .waitFor();
  await page.getByLabel(/^Part for Nora Finch/).fill("35");
  await page.getByLabel("Whose credit").selectOption("Nora Finch");
  await page.getByRole("button", { name: "Keep $5.00 as credit of Nora Finch" }).click();
  await page.keyboard.press("Control+Enter");
  await page.getByRole("alert").getByText(/77/).waitFor();
  expect(watched.alerts).toEqual([expect.stringContaining("77")]);
  expect(await page.getByLabel(/^Part for Quentin Hale/).inputValue()).toBe("60");
  expect(await page.getByLabel(/^Credit of Nora Finch/).inputValue()).toBe("5.00");
  await page.getByLabel("Number").fill("78");
  await page.getByLabel("The check is in hand: approve now").check();
  await page.getByRole("button", { name: "Record check" }).click();
  await page
    .getByText("Check 78 of $100.00 from Hale & Finch LLP is recorded and approved.")
    .waitFor();
  await expect
    .poll(() => standingOf(app.db, debits[1] ?? 0))
    .toEqual({ balance: 1500, pending: 0 });
});

test("the pages of checks can be used by everybody, on a phone too", async () => {
  const check = await aCheck("300", 30_000, { credits: { [finch.id]: 9_000 }, approve: true });
  await aCheck("301", 1000, { attorney });
  await page.goto("/admin/checks");
  await box("301").check();
  await page.getByText("1 chosen").waitFor();
  const isFine = async () => {
    expect(await barriersOf(page)).toEqual([]);
    expect(await overflowOnPhone(page)).toBe(0);
  };
  await isFine();
  await page.goto(`/admin/checks/${check}`);
  await page.getByRole("heading", { name: "Check 300" }).waitFor();
  await isFine();
  await page.goto(`/admin/checks/new?firm_id=${firm}`);
  await page
    .getByLabel(/^Part for Nora Finch/)
    .or(page.getByText("owes nothing"))
    .first()
    .waitFor();
  await page.getByLabel("Amount in dollars").fill("500");
  await page.getByRole("button", { name: /^Keep/ }).click();
  await isFine();
});

test("from an attorney's page a check of theirs is recorded", async () => {
  await page.goto(`/admin/attorneys/${attorney.id}`);
  await page.getByRole("link", { name: "Record a check" }).click();
  await page.getByText("Quentin Hale", { exact: true }).first().waitFor();
  await page.getByLabel(/^Part for Quentin Hale/).waitFor();
  await expect.poll(() => page.getByLabel(/^Part for/).count()).toBe(1);
});

/** A check on what the firm, or one attorney, owes, the oldest first, and on credit. Answers its id. */
async function aCheck(
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

const box = (number: string) =>
  page.getByRole("checkbox", { name: new RegExp(`^Choose check ${number} `) });

const isFocused = (field: ReturnType<typeof page.getByLabel>) =>
  field.evaluate((element) => element === document.activeElement);
