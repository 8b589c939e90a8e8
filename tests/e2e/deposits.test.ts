import { expect } from "vitest";
import { returnCheck, showCheck } from "#payments/checks/contract.ts";
import { admin, app, attorney, network } from "#tests/support/app-test.ts";
import { aHeldCheck } from "#tests/support/check-records.ts";
import { openPage, page, watched } from "#tests/support/page-test.ts";
import { checks, depositsTest } from "#tests/support/screens/deposits.ts";
import { barriersOf, overflowOnPhone } from "#tests/support/watched-page.ts";

const test = depositsTest();

const today = () => new Date().toISOString().slice(0, 10);
const day = () => today().replace(/(\d+)-(\d+)-(\d+)/, "$2/$3/$1");

const rowsOf = async (name: string) =>
  await page.getByRole("table", { name }).locator("tbody tr, tfoot tr").allInnerTexts();

const words = async (name: string) =>
  (await rowsOf(name)).map((row) => row.replaceAll(/\s+/g, " ").trim());

test("checks are ticked, deposited, changed, printed and banked", async () => {
  await page.goto("/admin/deposits");
  await page.getByText("No deposits yet").waitFor();
  await page.getByRole("link", { name: "Make a deposit" }).click();
  await page.getByLabel("Bank account").fill("Operating");
  await page.getByRole("button", { name: "Make deposit ($0.00)" }).click();
  await page
    .getByRole("link", { name: "Choose at least one check to deposit." })
    .or(page.getByText("Choose at least one check to deposit."))
    .first()
    .waitFor();
  await page.getByLabel("Choose check 501 of Ada Byron").check();
  await page.getByLabel("Choose check 503 of Ada Byron").check();
  await page.getByText("2 checks, $40.00 in all.").waitFor();
  expect(await barriersOf(page)).toEqual([]);
  expect(await overflowOnPhone(page)).toBe(0);
  await page.getByRole("button", { name: "Make deposit ($40.00)" }).click();

  await page.getByRole("heading", { name: "Deposit 1" }).waitFor();
  await expect
    .poll(() => words("Checks deposited"))
    .toEqual(["Ada Byron 501 $10.00", "Ada Byron 503 $30.00", "2 checks $40.00"]);
  await page.getByRole("link", { name: "Edit" }).click();
  await page.getByRole("button", { name: "Remove check 501" }).click();
  await page.getByLabel("Choose check 502 of Ada Byron").check();
  await page.getByRole("button", { name: "Save deposit ($50.00)" }).click();
  await page.getByRole("button", { name: "Mark as banked" }).click();
  const banking = page.getByRole("dialog", { name: "Mark deposit 1 as banked" });
  expect(await banking.getByLabel("Banked on").inputValue()).toBe(day());
  await banking.getByText(`2 checks, $50.00 in all, deposited to Operating on ${day()}.`).waitFor();
  expect(await barriersOf(page)).toEqual([]);
  await banking.getByRole("button", { name: "Mark as banked ($50.00)" }).click();
  await page.getByText(`Deposit 1 banked: 2 checks, $50.00, on ${day()}.`).waitFor();
  await expect.poll(() => page.getByRole("link", { name: "Edit" }).count()).toBe(0);
  const history = page.getByRole("table", { name: "History" });
  await history.getByRole("row", { name: /Marked deposit as banked/ }).waitFor();

  await admin.call(returnCheck, { params: { id: checks[1] }, body: { returned_on: today() } });
  await page.reload();
  await page.getByRole("heading", { name: "Returned by the bank" }).waitFor();
  await expect
    .poll(() => words("Checks returned by the bank"))
    .toEqual([`Ada Byron 502 ${day()} $20.00`, "1 check $20.00"]);
  expect(await barriersOf(page)).toEqual([]);
  expect(await overflowOnPhone(page)).toBe(0);

  // Between the margins of A4 the slip is a table, not a phone's cards.
  await page.setViewportSize({ width: 717, height: 1000 });
  await page.emulateMedia({ media: "print" });
  const slip = page.getByRole("table", { name: "Checks deposited" });
  await slip.getByRole("columnheader", { name: "Check number" }).waitFor();
  expect(await slip.evaluate((table) => getComputedStyle(table).display)).toBe("table");
  await page.emulateMedia({ media: "screen" });
  await page.setViewportSize({ width: 1280, height: 800 });

  // The last deposit's account is offered again.
  await page.goto("/admin/deposits/new");
  await expect.poll(() => page.getByLabel("Bank account").inputValue()).toBe("Operating");
  await page.goto("/admin/deposits");
  await expect
    .poll(() => words("Deposits"))
    .toEqual([
      `Deposit 1 ${day()} Operating Banked 2 $50.00 $20.00`,
      "Total of 1 deposit 2 $50.00 $20.00",
    ]);
  expect(await barriersOf(page)).toEqual([]);
  expect(watched.alerts).toEqual([]);
});

test("money held for payers is listed on Today, and is refunded or becomes credit", async () => {
  const given = await aHeldCheck(app.db, network, attorney, 700);
  const credited = await aHeldCheck(app.db, network, attorney, 900);
  const [first, second] = await Promise.all(
    [given, credited].map(
      async (id) => (await admin.call(showCheck, { params: { id } })).checkNumber,
    ),
  );
  await page.goto("/admin");
  await page
    .getByRole("link", { name: /^2 parts of checks held for their payers .*\$16\.00$/ })
    .click();
  await page.getByRole("heading", { name: "Held for payers" }).waitFor();
  const actions = "Refund Move to credit";
  await expect
    .poll(() => words("Held for payers"))
    .toEqual([
      `${first} Ada Byron ${day()} $7.00 ${actions}`,
      `${second} Ada Byron ${day()} $9.00 ${actions}`,
      "Total of 2 checks $16.00",
    ]);
  expect(await barriersOf(page)).toEqual([]);
  expect(await overflowOnPhone(page)).toBe(0);

  // By keyboard.
  await page.getByRole("button", { name: `Refund money held from check ${first}` }).press("Enter");
  const giving = page.getByRole("dialog", { name: `Refund money held from check ${first}` });
  await giving.getByText("$7.00 goes back to Ada Byron.").waitFor();
  expect(await giving.getByLabel("Bank account").inputValue()).toBe("Operating");
  expect(await barriersOf(page)).toEqual([]);
  expect(await overflowOnPhone(page)).toBe(0);
  await giving.getByLabel("Note").fill("Our check 901");
  await giving
    .getByRole("button", { name: `Refund money held from check ${first}` })
    .press("Enter");
  await page.getByText("$7.00 recorded as refunded to Ada Byron.").waitFor();

  await page
    .getByRole("button", { name: `Move money held from check ${second} to credit` })
    .click();
  const crediting = page.getByRole("dialog", {
    name: `Move money held from check ${second} to credit`,
  });
  await crediting.getByText("$9.00 is added to Ada Byron's credit.").waitFor();
  expect(await barriersOf(page)).toEqual([]);
  await crediting.getByRole("button", { name: "Move to credit ($9.00)" }).click();
  await page.getByText("$9.00 was added to Ada Byron's credit.").waitFor();
  await expect.poll(() => page.getByRole("heading", { name: "Held for payers" }).count()).toBe(0);
  expect(watched.alerts).toEqual([]);
});

test("the balances at the end of a chosen date are shown", async () => {
  await page.goto("/admin/receivables");
  await page.getByText(`As of the end of ${day()}`).waitFor();
  await expect
    .poll(() => words("Receivables by attorney"))
    .toEqual([
      expect.stringMatching(/^Ada Byron .*\$40\.00 \$40\.00 \$0\.00$/),
      expect.stringMatching(/^Total of 1 attorney .*\$40\.00 \$40\.00 \$0\.00$/),
    ]);
  expect(await barriersOf(page)).toEqual([]);
  expect(await overflowOnPhone(page)).toBe(0);
  await page.getByLabel("As of").fill("01/31/2026");
  await page.getByLabel("As of").press("Enter");
  await page.getByText("No attorney owed anything").waitFor();
  expect(new URL(page.url()).search).toBe("?as_of=2026-01-31");
  await page.getByRole("link", { name: "Create a report" }).click();
  const report = page.getByRole("dialog", {
    name: "Create custom report: Receivables as of a date",
  });
  await expect.poll(() => report.getByLabel("Start date").inputValue()).toBe("01/31/2026");
  await report.getByRole("button", { name: "Create Report" }).click();
  await page.getByText("As of 01/31/2026").waitFor();
  await expect.poll(() => watched.alerts).toHaveLength(1);
  await expect.poll(() => new URL(page.url()).search).toBe("");
  await openPage({ visitor: admin, isPhone: true });
  await page.goto("/admin/receivables");
  await page.getByRole("link", { name: "Ada Byron" }).tap();
  await page.getByRole("heading", { name: "Ada Byron" }).waitFor();
});
