import { expect } from "vitest";
import { makeMatter } from "#tests/support/records/matters.ts";
import { givePassword } from "#tests/support/passwords.ts";
import { makeDebit } from "#tests/support/records/dues.ts";
import { signedIn } from "#tests/support/visitor.ts";
import { app, attorney, network } from "#tests/support/app-test.ts";
import { openPage, page, watched } from "#tests/support/page-test.ts";
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

/*
 * Further places that ask before losing what was typed, and further ways to sign in again, than in
 * unsaved.test.ts.
 */

const test = unsavedTest();

test("Esc first closes what is open within a dialog: a list, a calendar", async () => {
  await page.goto("/admin/reports");
  await page.getByLabel("Report type").fill("Subscription debits");
  await page.getByRole("option", { name: "Subscription debits" }).click();
  await page.getByRole("button", { name: "Create report" }).click();
  const dialog = page.getByRole("dialog", { name: /^Create custom report/ });
  await dialog.getByLabel("Filter by").fill("Ada");
  const list = dialog.getByRole("listbox").filter({ hasText: "Ada Byron" });
  await list.waitFor();
  await page.keyboard.press("Escape");
  await list.waitFor({ state: "detached" });
  await dialog.getByRole("button", { name: "Open calendar" }).first().click();
  await page.getByRole("dialog", { name: "Calendar" }).getByRole("table").waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("dialog", { name: "Calendar" }).waitFor({ state: "hidden" });
  await expect.poll(() => dialog.isVisible()).toBe(true);
  await dialog.getByLabel("Start date").fill("13/");
  await page.keyboard.press("Escape");
  await question().getByRole("button", { name: "Discard" }).click();
  await dialog.waitFor({ state: "detached" });
});

test("a saved form leads on without asking; closing the tab asks in the browser's own words if something was typed", async () => {
  await page.goto("/admin/matters/new");
  await page.getByLabel("First name").fill("Jane");
  await page.getByLabel("Last name").fill("Doe");
  await page.getByRole("button", { name: "Record referral" }).click();
  await page.getByRole("heading", { level: 1, name: "Jane Doe" }).waitFor();
  await page.goto("/admin/matters/new");
  expect(watched.alerts).toEqual([]);
  await page.getByLabel("Last name").fill("Doe");
  const asked = page.waitForEvent("dialog");
  await page.close({ runBeforeUnload: true });
  expect((await asked).type()).toBe("beforeunload");
});

test("the back button does not close a dialog with typed text", async () => {
  await makeDebit(app.db, network, attorney, { amountCents: 5000 });
  await page.goto("/admin/attorneys");
  await page.getByLabel("Status").selectOption("Active");
  await page.getByRole("row", { name: /Ada Byron/ }).waitFor();
  await page.getByRole("button", { name: "Add an attorney" }).click();
  const adding = page.getByRole("dialog", { name: "Add an attorney" });
  await adding.getByLabel("Last name").fill("Hopper");
  await page.evaluate(() => history.back());
  await question().getByRole("button", { name: "Keep editing" }).click();
  await expect.poll(() => adding.getByLabel("Last name").inputValue()).toBe("Hopper");
  await expect.poll(() => new URL(page.url()).search).toBe("?status=active");
});

test("Cancel asks if something was changed, and only then", async () => {
  const matter = await makeMatter(app.db, network);
  await page.goto(`/admin/matters/${matter}`);
  const editing = page.getByRole("form", { name: "Contact details" });
  await page.getByRole("button", { name: "Edit" }).click();
  await editing.getByRole("button", { name: "Cancel" }).click();
  await editing.waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Edit" }).click();
  await editing.getByLabel("Last name").fill("Roe");
  await editing.getByRole("button", { name: "Cancel" }).click();
  await question().getByRole("button", { name: "Keep editing" }).click();
  await expect.poll(() => editing.getByLabel("Last name").inputValue()).toBe("Roe");
  await editing.getByLabel("Last name").fill("Doe"); // as it was
  await editing.getByRole("button", { name: "Cancel" }).click();
  await editing.waitFor({ state: "detached" });
});

test("a save that finishes during the question closes the question", async () => {
  await openAdjusting();
  let answer: () => void = () => undefined;
  const held = new Promise<void>((resolve) => (answer = resolve));
  await page.route("**/lrs_subscription_debit_adjustments/", async (route) => {
    await held;
    await route.continue();
  });
  await adjusting().getByLabel("Amount in dollars").fill("10");
  await adjusting().getByRole("button", { name: "Adjust balance" }).click();
  await adjusting().getByRole("button", { name: "Working..." }).waitFor();
  await page.keyboard.press("Escape");
  await question().waitFor();
  answer();
  await page.getByText("The balance of Panel dues is now $40.00.").waitFor();
  await expect.poll(() => question().count()).toBe(0);
});

test("amounts typed on the dashboard survive a change of tabs, and leaving asks", async () => {
  await makeDebit(app.db, network, attorney, { amountCents: 5000 });
  await watched.close();
  await openPage({ visitor: await signedIn(app, attorney, network) });
  await page.goto("/dashboard");
  await page.getByLabel(/^Payment for/).fill("12.50");
  await page.getByRole("tab", { name: "Paid" }).click();
  await page.getByRole("tab", { name: "Owed" }).click();
  await expect.poll(() => page.getByLabel(/^Payment for/).inputValue()).toBe("12.50");
  await page.getByRole("link", { name: "Referrals" }).click();
  await question().getByRole("button", { name: "Keep editing" }).click();
  await page.getByLabel(/^Payment for/).fill("0");
  await page.getByRole("link", { name: "Referrals" }).click();
  await page.getByRole("heading", { level: 1, name: "Referrals" }).waitFor();
});

test("signing in again in another tab lets this one save what was typed", async () => {
  await givePassword(app.db, network.admin.userId);
  await page.goto("/admin/matters/new");
  await page.getByLabel("First name").fill("Jane");
  await page.getByLabel("Last name").fill("Doe");
  await signInInAnotherTab(network.admin.email);
  await lookAtPage();
  await signingIn().waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Record referral" }).click();
  await page.getByRole("heading", { level: 1, name: "Jane Doe" }).waitFor();

  // Without turning to the page, either: with its own new session, the first press saves what was typed.
  await page.goto("/admin/matters/new");
  await page.getByLabel("First name").fill("John");
  await page.getByLabel("Last name").fill("Roe");
  await page.context().addCookies([await cookieOf(network.admin.userId)]);
  await page.getByRole("button", { name: "Record referral" }).click();
  await page.getByRole("heading", { level: 1, name: "John Roe" }).waitFor();
  expect(watched.alerts).toEqual([]);
});

test("a session that ended where nothing was typed leads to the sign-in page and back", async () => {
  await openPageThatHearsNothing();
  await givePassword(app.db, network.admin.userId);
  const asked = page.waitForResponse(/\/imports\/under_way$/);
  await page.goto("/admin/attorneys/import"); // a screen that makes no other calls
  await page.getByRole("heading", { level: 1, name: "Import attorneys" }).waitFor();
  await (await asked).finished();
  await endSessions();
  await page.getByRole("link", { name: "Settings" }).click();
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
  await signIn(network.admin.email, page);
  await page.getByRole("heading", { level: 1, name: "Settings" }).waitFor();
  expect(watched.alerts).toEqual([]);
});

async function signInInAnotherTab(email: string): Promise<void> {
  const tab = await page.context().newPage();
  await tab.goto("/account");
  await tab.getByRole("button", { name: "Sign out" }).click();
  await tab.getByRole("heading", { name: "Sign in" }).waitFor();
  await signIn(email, tab);
  await tab.getByRole("heading", { name: "Today" }).waitFor();
}
