import { expect } from "vitest";
import { adjustDebit } from "#dues/ledger/contract.ts";
import { makeAdmin } from "#tests/support/records/networks.ts";
import { givePassword } from "#tests/support/passwords.ts";
import { signedIn } from "#tests/support/visitor.ts";
import { barriersOf, overflowOnPhone } from "#tests/support/watched-page.ts";
import { app, network } from "#tests/support/app-test.ts";
import { page, watched } from "#tests/support/page-test.ts";
import {
  adjusting,
  cookieOf,
  endSessions,
  lookAtPage,
  openAdjusting,
  openPageThatHearsNothing,
  question,
  signIn,
  signingIn,
  unsavedTest,
} from "#tests/support/screens/unsaved.ts";

const test = unsavedTest();

test("Esc, by keyboard only, the close button and a phone's back gesture ask before they lose what was typed into a dialog", async () => {
  await openAdjusting();
  await page.keyboard.press("Escape");
  await adjusting().waitFor({ state: "detached" });

  await page.keyboard.press("Enter"); // focus is back at the button that opened it
  await adjusting().getByLabel("Note").fill("Joined late");
  await page.keyboard.press("Escape");
  await question().waitFor();
  await expect.poll(focusedText).toBe("Keep editing");
  expect(await barriersOf(page)).toEqual([]);
  expect(await overflowOnPhone(page)).toBe(0);
  await page.keyboard.press("Escape");
  await question().waitFor({ state: "detached" });
  await expect.poll(() => adjusting().getByLabel("Note").inputValue()).toBe("Joined late");
  await expect.poll(focusedName).toBe("adjustment_note");

  for (let press = 1; press <= 4; press += 1) await page.keyboard.press("Escape");
  await expect.poll(() => adjusting().getByLabel("Note").inputValue()).toBe("Joined late");

  await page.keyboard.press("Escape");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await adjusting().waitFor({ state: "detached" });
  await expect.poll(() => question().count()).toBe(0);

  await page.getByRole("button", { name: /^Adjust/ }).click();
  await adjusting().getByLabel("Amount in dollars").fill("12.50");
  await adjusting().getByRole("button", { name: "Close" }).click();
  await question().getByRole("button", { name: "Close" }).click();
  await adjusting().evaluate((dialog) => (dialog as HTMLDialogElement).requestClose());
  await question().getByRole("button", { name: "Keep editing" }).click();
  await expect.poll(() => adjusting().getByLabel("Amount in dollars").inputValue()).toBe("12.50");
  await adjusting().evaluate((dialog) => (dialog as HTMLDialogElement).close());
  await question().getByRole("button", { name: "Keep editing" }).click();
  await expect.poll(() => adjusting().getByLabel("Amount in dollars").inputValue()).toBe("12.50");
  await adjusting().getByRole("button", { name: "Close" }).click();
  await question().getByRole("button", { name: "Discard" }).click();
  await adjusting().waitFor({ state: "detached" });
});

test("a link and the back button ask before they leave a form, and go on once confirmed", async () => {
  await page.goto("/admin/matters/new");
  await page.getByLabel("Last name").fill("Doe");
  for (const name of ["Settings", "Cancel"]) {
    await page.getByRole("link", { name }).click();
    await question().getByRole("button", { name: "Keep editing" }).click();
    await expect.poll(() => page.getByLabel("Last name").inputValue()).toBe("Doe");
    await expect.poll(() => new URL(page.url()).pathname).toBe("/admin/matters/new");
  }
  await page.getByRole("link", { name: "Settings" }).click();
  await question().getByRole("button", { name: "Discard" }).click();
  await page.getByRole("heading", { level: 1, name: "Settings" }).waitFor();

  await page.getByRole("link", { name: "Referrals" }).click(); // nothing was entered here
  await page.getByRole("heading", { level: 1, name: "Referrals" }).waitFor();

  await page.getByRole("link", { name: "Settings" }).click();
  await page.getByRole("heading", { level: 1, name: "Settings" }).waitFor();
  await page.getByRole("link", { name: "Referrals" }).click();
  await page.getByRole("link", { name: "Record a referral" }).click();
  await page.getByLabel("Last name").fill("Doe");
  await page.evaluate(() => history.back());
  await question().getByRole("button", { name: "Keep editing" }).click();
  await expect.poll(() => page.getByLabel("Last name").inputValue()).toBe("Doe");
  await expect.poll(() => new URL(page.url()).pathname).toBe("/admin/matters/new");
  await page.evaluate(() => history.go(-2));
  await question().getByRole("button", { name: "Discard" }).click();
  await page.getByRole("heading", { level: 1, name: "Settings" }).waitFor();
  await page.evaluate(() => history.forward());
  await page.getByRole("heading", { level: 1, name: "Referrals" }).waitFor();
  expect(watched.alerts).toEqual([]);
});

test("someone who signs in again after the session ended finds what was typed, and saves it", async () => {
  await openPageThatHearsNothing();
  const debit = await openAdjusting();
  await givePassword(app.db, network.admin.userId);
  await adjusting().getByLabel("Amount in dollars").fill("10");
  await adjusting().getByLabel("Note").fill("Joined late");
  await endSessions();
  // Not with the mouse: a request of the page's own may already have been refused and covered the button.
  await adjusting().getByRole("button", { name: "Adjust balance" }).dispatchEvent("click");
  await signingIn().getByText("Sign in as Ada Min to continue").waitFor();
  expect(await barriersOf(page)).toEqual([]);
  expect(await overflowOnPhone(page)).toBe(0);
  await page.keyboard.press("Escape");
  await question().getByRole("button", { name: "Keep editing" }).click();
  watched.letHear();
  await signIn(network.admin.email);
  await signingIn().waitFor({ state: "detached" });
  await expect.poll(() => adjusting().getByLabel("Note").inputValue()).toBe("Joined late");
  await adjusting().getByRole("button", { name: "Adjust balance" }).click();
  await page.getByText("The balance of Panel dues is now $40.00.").waitFor();
  expect(watched.alerts).toEqual([]);

  const visitor = await signedIn(app, "admin", network); // and the page gets hints of changes again
  await visitor.call(adjustDebit, { body: { debit_id: debit, amount: "10" } });
  await page.getByText("$30.00").first().waitFor();
});

test("what was typed is hidden from, and lost for, someone who signs in as another person", async () => {
  await openPageThatHearsNothing();
  await page.goto("/admin/matters/new");
  await page.getByLabel("Note for the attorney").fill("My secret");
  const colleague = await makeAdmin(app.db, network, { name: "Colette Ague" });
  await givePassword(app.db, colleague);
  await page.getByLabel("Last name").fill("Doe");
  await endSessions();
  await lookAtPage();
  await signingIn().waitFor();
  const veil = await signingIn().evaluate((dialog) => {
    const { backgroundColor } = getComputedStyle(dialog, "::backdrop");
    return backgroundColor === getComputedStyle(document.documentElement).backgroundColor;
  });
  expect(veil).toBe(true);
  await signIn(await emailOf(colleague));
  await page.getByRole("heading", { level: 1, name: "Today" }).waitFor();
  await page.getByRole("link", { name: "Colette Ague" }).waitFor();
  const kept = await page.evaluate(() =>
    JSON.stringify([Object.entries(sessionStorage), Object.entries(localStorage)]),
  );
  expect(kept).not.toContain("secret");
  await page.evaluate(() => history.back());
  await page.getByLabel("Note for the attorney").waitFor();
  await expect.poll(() => page.getByLabel("Note for the attorney").inputValue()).toBe("");
});

test("nothing typed is sent for another person who signed in in another tab", async () => {
  await openPageThatHearsNothing();
  const colleague = await makeAdmin(app.db, network);
  await givePassword(app.db, colleague);
  await page.goto("/admin/matters/new");
  await page.getByLabel("First name").fill("Jane");
  await page.getByLabel("Last name").fill("Doe");
  await page.context().addCookies([await cookieOf(colleague)]); // and the page does not know yet
  await page.getByRole("button", { name: "Record referral" }).click();
  const asking = page.getByRole("dialog", { name: "Someone else has signed in" });
  await asking.getByRole("button", { name: "Continue as Colette Ague" }).click();
  await question().getByRole("button", { name: "Discard" }).click();
  await page.getByRole("heading", { level: 1, name: "Today" }).waitFor();
  await page.getByRole("link", { name: "Colette Ague" }).waitFor();
  const matters = await app.db
    .selectFrom("matters")
    .select("id")
    .where("networkId", "=", network.id)
    .execute();
  expect(matters).toEqual([]);
});

async function emailOf(userId: number): Promise<string> {
  const { email } = await app.db
    .selectFrom("users")
    .select("email")
    .where("id", "=", userId)
    .executeTakeFirstOrThrow();
  return email;
}

const focusedName = () => page.evaluate(() => document.activeElement?.getAttribute("name"));
const focusedText = () => page.evaluate(() => document.activeElement?.textContent);
