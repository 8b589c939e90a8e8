import { expect } from "vitest";
import { standingOf } from "#tests/support/ledger.ts";
import { app, attorney } from "#tests/support/app-test.ts";
import { notedWords } from "#tests/support/dialog-words.ts";
import { page, watched } from "#tests/support/page-test.ts";
import {
  aCheck,
  box,
  checksPageTest,
  debits,
  finch,
  firm,
  isFocused,
} from "#tests/support/screens/checks.ts";
import { barriersOf, overflowOnPhone } from "#tests/support/watched-page.ts";

const test = checksPageTest();

test("one check for three lawyers takes few keys, and the next check starts at the same place", async () => {
  await page.goto("/admin/checks/new");
  const payer = page.getByRole("combobox", { name: "Payer" });
  await expect.poll(() => isFocused(payer)).toBe(true);
  const keys = await countKeys();
  let typed = await type("hale");
  await page.getByRole("option", { name: "Hale & Finch LLP (firm, 3 attorneys)" }).waitFor();
  await page.keyboard.press("Enter");
  typed += await type("10442");
  await page.keyboard.press("Enter");
  typed += await type("525");
  await page.keyboard.press("Enter"); // to the date
  await page.keyboard.press("Enter"); // to the button
  await page.getByRole("button", { name: "Oldest first" }).waitFor();
  await page.keyboard.press("Enter");
  await page.getByText("Still to place: $90.00").waitFor();
  await page.getByRole("button", { name: "Keep $90.00 as credit for Dora Finch" }).waitFor();
  await page.keyboard.press("Enter");
  await page.getByText("Still to place: $0.00").waitFor();
  expect(await overflowOnPhone(page)).toBe(0);
  await page
    .getByText(
      "$435.00 pays 4 debits of 3 attorneys and $90.00 becomes credit when the check is approved.",
    )
    .waitFor();
  await page.keyboard.press("Control+Enter");
  await page
    .getByText("Check 10442 of $525.00 from Hale & Finch LLP is recorded and pending.")
    .waitFor();
  expect((await keys()) - typed).toBeLessThanOrEqual(12);
  await expect.poll(() => isFocused(payer)).toBe(true);
  await expect.poll(() => page.getByLabel("Received on").inputValue()).toBe("11/20/2026");
  await page.getByRole("link", { name: "Checks" }).getByText("1 pending · $525.00").waitFor();
  for (const debit of debits) expect((await standingOf(app.db, debit)).pending).toBeGreaterThan(0);
  expect(watched.alerts).toEqual([]);
});

test("a check is not sent while another payer is typed but not chosen", async () => {
  await page.goto("/admin/checks/new");
  const payer = page.getByRole("combobox", { name: "Payer" });
  await payer.fill("hale");
  await page.getByRole("option", { name: "Hale & Finch LLP (firm, 3 attorneys)" }).waitFor();
  await payer.press("Enter");
  const missing = page.getByRole("link", { name: /^Enter / }).first();
  await payer.fill("some other firm");
  await page.keyboard.press("Control+Enter");
  await page.getByRole("option", { name: "No options" }).waitFor();
  expect([await missing.count(), await payer.inputValue()]).toEqual([0, "some other firm"]);
  await page.keyboard.press("Escape");
  await page.keyboard.press("Control+Enter");
  await missing.waitFor();
});

test("many pending checks are approved together, one is denied, and ticks survive a hint and a search", async () => {
  for (let number = 1; number <= 6; number += 1) await aCheck(`50${number}`, 1000);
  await page.goto("/admin/checks");
  await page.getByText("Pending 6 · $60.00").waitFor();
  await box("501").focus();
  await page.keyboard.press("Space");
  await box("504").click({ modifiers: ["Shift"] });
  await page.getByText("4 chosen, $40.00").waitFor();
  await aCheck("507", 1000); // the list refetches without a reload
  await page.getByText("Pending 7 · $70.00").waitFor();
  await page.getByText("4 chosen, $40.00").waitFor();
  await page.getByRole("searchbox").fill("506");
  await page.getByText("4 on other pages").waitFor();
  expect(await barriersOf(page)).toEqual([]);
  expect(await overflowOnPhone(page)).toBe(0);
  await box("506").check();
  await page.getByRole("button", { name: "Approve 5 checks ($50.00)" }).click();
  await page.getByText("5 checks ($50.00) approved.").waitFor();
  await page.getByRole("searchbox").fill("");
  await expect
    .poll(() => rows())
    .toEqual([expect.stringMatching(/^507/), expect.stringMatching(/^505/)]);

  await page.getByRole("checkbox", { name: /^Choose all on this page/ }).check();
  await box("507").uncheck();
  await page.getByRole("button", { name: "Deny" }).click();
  const denying = page.getByRole("dialog", { name: "Deny 1 check ($10.00)?" });
  await denying.getByText("1 debit, $10.00 in all, can be paid again").waitFor();
  await denying.getByRole("button", { name: "Deny 1 check ($10.00)" }).click();
  await page.getByText("1 check ($10.00) denied").waitFor();
  await page.getByLabel("Status", { exact: true }).selectOption("Denied");
  await expect
    .poll(() => rows())
    .toEqual([expect.stringMatching(/^505 Hale & Finch LLP .*1 attorney, 1 debit Denied$/)]);
  expect(new URL(page.url()).search).toBe("?status=denied");
  await page.reload();
  await page.getByText("1–1 of 1").waitFor();
  await page.getByLabel("Status", { exact: true }).selectOption("All");
  await page.getByRole("searchbox").fill("10.00");
  await page.getByText("1–7 of 7").waitFor();
  await page.getByLabel("Received from").fill("11/21/2026");
  await page.keyboard.press("Enter");
  await page.getByText("No checks match these filters").waitFor();
  await expect
    .poll(() => Object.fromEntries(new URL(page.url()).searchParams)) // typing may trigger the search before or after
    .toEqual({ status: "all", from: "2026-11-21", search: "10.00" });
  await page.getByRole("link", { name: "Clear filters" }).click();
  await page.getByRole("link", { name: "507" }).waitFor();
});

test("a number that one of the firm's attorneys has already reported is asked about, and recorded as another check", async () => {
  await aCheck("1020", 1000, { attorney });
  await page.goto(`/admin/checks/new?firm_id=${firm}`);
  await page.getByLabel("Number", { exact: true }).fill("01020");
  await page.getByLabel("Amount in dollars").fill("250");
  await page.getByRole("button", { name: "Oldest first" }).click();
  await page.getByRole("button", { name: "Record check" }).click();
  const known =
    "Check 1020 of Quentin Hale has already been recorded: $10.00, received on 11/20/2026, pending.";
  await page.getByText(known).first().waitFor();
  expect(await barriersOf(page)).toEqual([]);
  expect(await overflowOnPhone(page)).toBe(0);
  await page.getByLabel("This is a different check").check();
  await page.getByRole("button", { name: "Record check" }).click();
  await page
    .getByText("Check 01020 of $250.00 from Hale & Finch LLP is recorded and pending.")
    .waitFor();
  expect(watched.alerts).toEqual([known]);
});

test("a returned check says in numbers what will happen, and then reads Returned", async () => {
  const check = await aCheck("10442", 52_500, { credits: { [finch.id]: 9_000 }, approve: true });
  await page.goto(`/admin/checks/${check}`);
  await page.getByRole("button", { name: "Returned by the bank" }).click();
  const returning = page.getByRole("dialog", { name: "Returned by the bank" });
  await returning.getByText("4 debits open again. $435.00 is owed again.").waitFor();
  await returning.getByText("$90.00 of unused credit is reversed.").waitFor();
  await returning.getByText(/^Emails to .* will be saved, not sent\.$/).waitFor();
  await returning.getByLabel("Fee in dollars").fill("35");
  await returning.getByText("A fee of $35.00 is charged to Dora Finch.").waitFor();
  await returning.getByText("Total owed again: $470.00.").waitFor();
  await returning.getByLabel("Returned on").fill("11/21/2026");
  await returning.getByRole("button", { name: "Return check 10442 ($525.00)" }).click();
  await returning.getByRole("alert").waitFor(); // tomorrow
  await returning.getByLabel("Returned on").fill("11/20/2026");
  await returning.getByLabel("Note").fill("Insufficient funds");
  expect(await barriersOf(page)).toEqual([]);
  await returning.getByRole("button", { name: "Return check 10442 ($525.00)" }).click();
  await page.getByText("Check 10442 returned. $470.00 is owed again.").waitFor();
  await page.getByText("11/20/2026: Insufficient funds").waitFor();
  await expect
    .poll(() => page.getByRole("button", { name: "Returned by the bank" }).count())
    .toBe(0);
  expect(await standingOf(app.db, debits[0] ?? 0)).toEqual({ balance: 25_000, pending: 0 });
});

test("until it is done, denying a check shows what was confirmed, not what is left to decide", async () => {
  await page.goto(`/admin/checks/${await aCheck("509", 1000)}`);
  await page.getByRole("button", { name: "Deny", exact: true }).click();
  const denying = page.getByRole("dialog", { name: "Deny 1 check ($10.00)?" });
  await page.route("**/activity?*", () => undefined); // a part of the page that does not answer
  const words = await notedWords();
  await denying.getByRole("button", { name: "Deny 1 check ($10.00)" }).click();
  await page.getByText("1 check ($10.00) denied. The debits stay owed.").waitFor();
  for (const said of await words()) expect(said).toContain("Deny 1 check ($10.00)?");
});

test("a pending check is approved on its own page, which shows its parts and its changes", async () => {
  const check = await aCheck("300", 52_500, { credits: { [finch.id]: 9_000 } });
  await page.goto("/admin/checks");
  await page.getByRole("link", { name: "300" }).click();
  await page.getByRole("heading", { name: "Check 300" }).waitFor();
  await expect
    .poll(() => page.getByRole("table", { name: "What it is for" }).innerText())
    .toMatch(
      /Annual registration[^]*Pending[^]*\$250\.00[^]*Credit[^]*\$90\.00[^]*Total[^]*\$525\.00/,
    );
  await page.getByRole("button", { name: "Approve check ($525.00)" }).click();
  await page.getByText("Check 300 ($525.00) approved.").waitFor();
  await page.getByText("Not deposited").waitFor();
  await expect
    .poll(() => page.getByRole("table", { name: "History" }).innerText())
    .toMatch(/approved/i);
  await page.goto(`/admin/checks/${check + 1000}`);
  await page.getByRole("heading", { name: "Page not found" }).waitFor();
});

async function rows(): Promise<string[]> {
  const texts = await page
    .getByRole("table", { name: "Checks" })
    .locator("tbody tr")
    .allInnerTexts();
  return texts.map((text) => text.replaceAll(/\s+/g, " ").trim());
}

/** Type a text into what has focus. Returns the number of keys. */
async function type(text: string): Promise<number> {
  await page.keyboard.type(text);
  return text.length;
}

/** Count the keys pressed from now on, Ctrl and Shift included. */
async function countKeys(): Promise<() => Promise<number>> {
  await page.evaluate(() => {
    document.body.dataset["keys"] = "0";
    document.addEventListener(
      "keydown",
      () => (document.body.dataset["keys"] = String(Number(document.body.dataset["keys"]) + 1)),
      { capture: true },
    );
  });
  return async () => Number(await page.evaluate(() => document.body.dataset["keys"]));
}
