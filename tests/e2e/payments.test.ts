import { expect } from "vitest";
import { app, attorney, lawyer, network } from "#tests/support/app-test.ts";
import { aChargedDebit, aCheck, decideCheck } from "#tests/support/check-records.ts";
import { mailsOf } from "#tests/support/mails.ts";
import { openPage, page, pageTest, watched } from "#tests/support/page-test.ts";
import { barriersOf, overflowOnPhone } from "#tests/support/watched-page.ts";

const test = pageTest({
  clock: "2026-11-20T17:00:00Z",
  network: {},
  attorney: { firstName: "Quentin", lastName: "Hale" },
  lawyer: true,
  by: "admin",
});

async function check(number: string, creditCents: number, decision?: "approved" | "denied") {
  const id = await aCheck(app.db, network, {
    number,
    parts: [{ attorneyId: attorney.id, creditCents }],
  });
  if (decision) await decideCheck(app.db, network, id, decision);
}

const totals = async () =>
  (await page.locator("tfoot").getByRole("listitem").allInnerTexts()).map((sum) =>
    sum.replaceAll("\n", " "),
  );

test("received, denied and pending amounts are shown apart, each linking to its payments", async () => {
  await check("777", 5000, "approved");
  await check("778", 2500, "denied");
  await check("779", 1000);
  await page.goto("/admin/payments");
  await page.getByText("Total of 3 payments").waitFor();
  expect(await totals()).toEqual(["Received $50.00", "Pending $10.00", "Denied $25.00"]);
  expect(await barriersOf(page)).toEqual([]);
  expect(await overflowOnPhone(page)).toBe(0);
  await page.locator("tfoot").getByRole("link", { name: "Received" }).click();
  await page.getByText("Total of 1 payment").waitFor();
  expect(await totals()).toEqual(["Received $50.00"]);
  await expect.poll(() => page.getByLabel("Status").inputValue()).toBe("received");

  await page.goto("/admin/checks?status=all");
  await page.getByText("Total of 3 checks").waitFor();
  expect(await totals()).toEqual(["Pending $10.00", "Approved $50.00", "Denied $25.00"]);
  await page.locator("tfoot").getByRole("link", { name: "Denied" }).click();
  await page.getByText("Total of 1 check").waitFor();
  expect(await totals()).toEqual(["Denied $25.00"]);
  expect(watched.alerts).toEqual([]);
});

test("only received money has a receipt; a denied or pending check has details", async () => {
  await check("777", 5000, "approved");
  await check("778", 2500, "denied");
  await check("779", 1000);
  const links = () => page.getByRole("link", { name: /^(Receipt|Details) of Quentin Hale/ });
  await page.goto("/admin/payments");
  await page.getByText("Total of 3 payments").waitFor();
  expect((await links().allInnerTexts()).map((text) => text.split(/\s/)[0])).toEqual([
    "Details",
    "Details",
    "Receipt",
  ]);
  await links().nth(1).click();
  await page.getByRole("heading", { name: "Check 778, denied" }).waitFor();
  await page.getByText("No payment was received.", { exact: true }).waitFor();
  const words = await page.locator("main").innerText();
  expect(words).not.toMatch(/Paid to|Paid by|What was paid|Receipt/);
  expect(words).toContain("What it was for");
  const denied = new URL(page.url()).pathname;
  await page.getByRole("button", { name: "Find anything" }).first().click();
  await page.getByRole("combobox").fill(denied.split("/").at(-1) ?? "");
  await page.getByRole("option", { name: /^Payment \d+/ }).waitFor();
  await page.keyboard.press("Escape");

  await openPage({ visitor: lawyer });
  await page.goto("/dashboard?view=payments");
  await page
    .getByRole("row", { name: /Check 779/ })
    .getByRole("link", { name: "Details" })
    .click();
  await page.getByRole("heading", { name: "Check 779, pending" }).waitFor();
  await page.getByText("No payment has been received yet.").waitFor();
});

test("a printed list has its total once, below its last row; headings stick only to rows", async () => {
  await check("777", 5000, "approved");
  const styleOf = (part: string, name: string) =>
    page
      .locator(part)
      .first()
      .evaluate((element, of) => getComputedStyle(element).getPropertyValue(of), name);
  let answer: () => void = () => undefined;
  const held = new Promise<void>((resolve) => (answer = resolve));
  await page.goto("/admin/attorneys");
  await page.route("**/payments?*", async (route) => {
    await held;
    await route.continue();
  });
  await page.getByRole("link", { name: "Payments" }).click();
  await page.locator("table[aria-busy=true]").waitFor();
  expect(await styleOf("thead th", "position")).toBe("static");
  answer();
  await page.getByText("Total of 1 payment").waitFor();
  expect(await styleOf("thead th", "position")).toBe("sticky");
  await page.emulateMedia({ media: "print" });
  expect(await styleOf("thead", "display")).toBe("table-header-group");
  expect(await styleOf("tfoot", "display")).toBe("table-row-group");
  expect(await styleOf("thead th", "position")).toBe("static");
});

const focusedName = () =>
  page.evaluate(() => {
    const focused = document.activeElement;
    if (focused instanceof HTMLInputElement || focused instanceof HTMLSelectElement)
      return focused.labels?.[0]?.innerText ?? "";
    return focused instanceof HTMLButtonElement ? focused.innerText : focused?.tagName;
  });

test("a dialog whose form loads after it opens has focus in its first field", async () => {
  await page.goto("/admin/attorneys");
  await page.getByText("Total of 1 attorney").waitFor();
  await page.keyboard.press("?");
  await expect.poll(focusedName).toBe("Use one-key shortcuts on this device");
  await page.keyboard.press("Escape");
  await page.getByRole("checkbox", { name: /Quentin Hale/ }).check();
  await page
    .getByRole("button", { name: /^Charge/ })
    .first()
    .click();
  await expect.poll(focusedName).toBe("The 1 attorney chosen");
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: /^Subscribe \d+ attorneys?/ }).click();
  await expect.poll(focusedName).toBe("Subscription");
  expect(watched.alerts).toEqual([]);
});

test("a key held down on Remind sends nothing: its confirmation must be read first", async () => {
  await aChargedDebit(app.db, network, attorney, { dueOn: "2026-08-21", amountCents: 7500 });
  await page.goto("/admin/attorneys");
  await page.getByRole("checkbox", { name: /Quentin Hale/ }).check();
  await page.getByRole("button", { name: /^Remind/ }).click();
  const reminding = page.getByRole("dialog");
  await reminding.getByRole("button", { name: /^Remind/ }).waitFor();
  await expect.poll(focusedName).toBe("Cancel");
  await page.keyboard.press("Enter");
  await reminding.waitFor({ state: "detached" });
  expect(await mailsOf(app.db, network)).toEqual([]);
});
