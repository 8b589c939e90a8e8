import { readFile } from "node:fs/promises";
import { expect } from "vitest";
import { aChargedDebit, aCheck, decideCheck } from "#tests/support/check-records.ts";
import { aPng, pdfPages } from "#tests/support/pictures.ts";
import { barriersOf, overflowOnPhone } from "#tests/support/watched-page.ts";
import { admin, app, attorney, lawyer, network } from "#tests/support/app-test.ts";
import { openPage, page, pageTest, watched } from "#tests/support/page-test.ts";

const test = pageTest({
  clock: "2026-11-30T17:00:00Z",
  network: { name: "Harbor County" },
  attorney: { firstName: "Ada", lastName: "Byron" },
  lawyer: true,
});

/** Charged $80, paid $30 of it by check, with $5 more as credit. */
async function chargeAndPayPart(): Promise<void> {
  const course = await aChargedDebit(app.db, network, attorney, {
    amountCents: 8000,
    name: "Course",
  });
  const check = await aCheck(app.db, network, {
    number: "1020",
    parts: [{ attorneyId: attorney.id, shares: { [course]: 3000 }, creditCents: 500 }],
  });
  await decideCheck(app.db, network, check, "approved");
}

/** Entries are made by the real clock: all days around it. */
const everything = "from=2020-01-01&to=2099-12-31";

test("a lawyer opens the statement from the dashboard, picks other dates, prints and downloads it", async () => {
  await chargeAndPayPart();
  await openPage({ visitor: lawyer, isPhone: true });
  await page.goto("/dashboard");
  await page.getByRole("link", { name: "Your statements" }).click();
  await page.getByRole("heading", { name: "Statement of Ada Byron" }).waitFor();
  const period = page.getByLabel("Period");
  await expect.poll(() => period.inputValue()).toBe("this_month");
  await period.selectOption("Last month");
  await page.getByText("10/01/2026 to 10/31/2026").waitFor();
  expect(page.url()).toContain("?from=2026-10-01&to=2026-10-31");
  await page.getByLabel("From", { exact: true }).fill("11/02/2026");
  await page.keyboard.press("Enter");
  await page.getByText("From must not be later than To.").first().waitFor();

  await page.goto(`/statements/${attorney.id}?${everything}`);
  const table = page.getByRole("table", { name: "Charges and payments" });
  await table.getByText("Course, due 05/01/2026").waitFor();
  await table.getByText("Check 1020 ($35.00, including $5.00 kept as credit)").waitFor();
  await table.getByText("Balance on 11/30/2026").waitFor();
  await expect.poll(() => table.innerText()).toMatch(/\$80\.00\s[\s\S]*\$30\.00\s[\s\S]*\$50\.00/);
  await page.getByText("Credit on 11/30/2026: $5.00.").waitFor();
  expect(await barriersOf(page)).toEqual([]);
  expect(await overflowOnPhone(page)).toBe(0);

  await page.evaluate(() => {
    window.print = () => document.body.setAttribute("data-printed", "");
  });
  await page.getByRole("button", { name: "Print" }).click();
  await page.locator("[data-printed]").waitFor();
  await page.emulateMedia({ media: "print" });
  await expect.poll(() => page.getByRole("button", { name: "Print" }).isVisible()).toBe(false);
  await expect.poll(() => table.getByText("Course").isVisible()).toBe(true);
  await page.emulateMedia({ media: "screen" });

  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Download PDF" }).click(),
  ]);
  expect(download.suggestedFilename()).toBe("statement-Ada-Byron-2020-01-01-2099-12-31.pdf");
  const [text = ""] = pdfPages(await readFile(await download.path()));
  for (const words of ["Harbor County", "Course, due 05/01/2026", "$50.00", "Page 1 of 1"])
    expect(text).toContain(words);
  expect(watched.alerts).toEqual(["From must not be later than To."]);
});

test("a PDF that cannot be drawn now says why, on the same page", async () => {
  await openPage({ visitor: admin, expectsFaults: true });
  await page.goto(`/statements/${attorney.id}?${everything}`);
  await page.getByRole("heading", { name: "Statement of Ada Byron" }).waitFor();
  const message = "Another PDF for your network is being prepared. Try again in a few seconds.";
  await page.route("**/statement.pdf?*", (route) =>
    route.fulfill({ status: 503, json: { success: false, message } }),
  );
  await page.getByRole("button", { name: "Download PDF" }).click();
  await expect.poll(() => watched.alerts).toEqual([message]);
  await page.getByRole("heading", { name: "Statement of Ada Byron" }).waitFor();
});

test("an administrator sets the brand and the day of the email, and sees the attorney's statement with it", async () => {
  await chargeAndPayPart();
  await openPage({ visitor: admin });
  await page.goto("/admin/settings");
  await page.getByText("Automatically suspend lawyers with overdue reports").waitFor();
  await page.getByLabel("Card processor").waitFor();
  const pages = page.getByRole("navigation", { name: "Settings" });
  await pages.getByRole("link", { name: "Network" }).click();
  await page.getByRole("heading", { name: "Network settings" }).waitFor();
  await page.getByLabel("Name of the network").fill("Harbor County Bar");
  await page.getByLabel("Postal address").fill("1 Main Street\nHarbor, NY 10013");
  await page.getByLabel("Phone").fill("12");
  await page.getByRole("button", { name: "Save name and address" }).click();
  await page.getByRole("link", { name: /^Phone must be a US phone number/ }).click();
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.type("5550104477");
  await page.getByRole("button", { name: "Save name and address" }).click();
  await page.getByText("Saved. Receipts, statements and emails use it from now on.").waitFor();
  await page.getByRole("banner").getByText("Harbor County Bar").waitFor();
  const file = page.locator("input[type=file]");
  await file.setInputFiles({
    name: "logo.svg",
    mimeType: "image/svg+xml",
    buffer: Buffer.from("<svg/>"),
  });
  await expect.poll(() => watched.alerts).toEqual(["The logo must be a PNG or JPEG picture."]);
  await file.setInputFiles({ name: "logo.png", mimeType: "image/png", buffer: aPng() });
  await page.getByText("Logo saved.").waitFor();
  await page.getByRole("img", { name: "Harbor County Bar" }).waitFor();
  await expectNoBarriers();

  await pages.getByRole("link", { name: "Email" }).click();
  await page
    .getByLabel("Email statements on")
    .selectOption("Day 31, or the last of a shorter month");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("Saved. The next statements will be saved here on 11/30/2026.").waitFor();
  await expectNoBarriers();
  for (const name of ["Suspension", "Card payments", "People", "Integrations"]) {
    await pages.getByRole("link", { name, exact: true }).click();
    await page.getByRole("heading", { level: 1, name: new RegExp(name.slice(0, 12)) }).waitFor();
  }
  await expectNoBarriers();

  await page.goto(`/admin/attorneys/${attorney.id}`);
  await page.getByRole("link", { name: "Statement" }).click();
  await page.getByRole("heading", { name: "Statement of Ada Byron" }).waitFor();
  await page.goto(`/statements/${attorney.id}?${everything}`);
  await page.getByText("Check 1020").first().waitFor();
  const shown = page.getByRole("img", { name: "Harbor County Bar" });
  await expect
    .poll(() => shown.evaluate((image) => image instanceof HTMLImageElement && image.naturalWidth))
    .toBe(60);
  await page.getByText("(555) 010-4477").waitFor();
  await expectNoBarriers();
  await page.goto("/statements/999999999");
  await page.getByRole("heading", { name: "Page not found" }).waitFor();
});

async function expectNoBarriers(): Promise<void> {
  expect(await barriersOf(page)).toEqual([]);
  expect(await overflowOnPhone(page)).toBe(0);
}
