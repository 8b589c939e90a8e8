import { expect } from "vitest";
import { makeAttorney, makePanel } from "#tests/support/records/attorneys.ts";
import { makeDebit } from "#tests/support/records/dues.ts";
import { app, network } from "#tests/support/app-test.ts";
import { address, browser, page, pageTest, watched } from "#tests/support/page-test.ts";
import { details, oneLine, setStatus } from "#tests/support/screens/attorneys.ts";
import { barriersOf, overflowOnPhone } from "#tests/support/watched-page.ts";

const test = pageTest({ network: {}, by: "admin" });

test("an empty panel says how to add attorneys, and the first one is added", async () => {
  await page.goto("/admin/attorneys");
  await page.getByText("No attorneys yet").waitFor();
  await page.getByRole("link", { name: "Import attorneys" }).waitFor();
  await page.getByRole("button", { name: "Add an attorney" }).click();
  const adding = page.getByRole("dialog", { name: "Add an attorney" });
  await adding.getByLabel("Last name").fill("Núñez O’Connell");
  await adding.getByRole("button", { name: "Add attorney" }).click();
  await adding.getByRole("link", { name: "Enter a first name." }).click();
  await page.keyboard.type("María");
  await adding.getByRole("link", { name: "Enter an email address." }).click();
  await page.keyboard.type(" Maria@Example.org ");
  await adding.getByLabel("Phone").fill("(617) 555-0134");
  await adding.getByLabel("Address line 1").fill("12 Harbor Street");
  await adding.getByLabel("City").fill("Boston");
  await adding.getByLabel("State").selectOption("MA, Massachusetts");
  await adding.getByLabel("ZIP code").fill("02110");
  expect(watched.alerts).toEqual([]);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "María Núñez O’Connell" }).waitFor();
  await page.getByRole("tab", { name: "Details" }).click();
  await expect
    .poll(details)
    .toBe(
      "Email maria@example.org Phone (617) 555-0134 Address 12 Harbor Street Boston, MA 02110 Bar number Not provided Firm Not provided Sign-in Not invited yet",
    );
  await page.goBack();
  await page.goBack();
  await page.getByRole("link", { name: "María Núñez O’Connell" }).waitFor();
  expect(await barriersOf(page)).toEqual([]);
  expect(await overflowOnPhone(page)).toBe(0);
});

test("attorneys are found by typing, by status and page by page, and the address has all of it", async () => {
  await makePanel(app.db, network, 120);
  const ada = await makeAttorney(app.db, network, { firstName: "Ada", lastName: "Byron" });
  await makeDebit(app.db, network, ada, { amountCents: 123_450 });
  await setStatus("Member 7", { pausedUntil: "2099-06-30" });
  await setStatus("Member 8", { pausedUntil: "2099-07-31", isSuspended: true });
  await page.goto("/admin/attorneys");
  await page.getByText("1–50 of 121").waitFor();
  await expect
    .poll(rows)
    .toContainEqual(
      expect.stringMatching(
        /^Ada Byron attorney-\S+ Not provided Active \$1,234\.50 \$1,234\.50 01\/31\/2026 Never$/,
      ),
    );
  await page.getByRole("link", { name: "Next" }).click();
  await page.getByText("51–100 of 121").waitFor();

  await page.keyboard.press("/");
  await page.keyboard.type("ada byr");
  await page.getByText("1–1 of 1").waitFor();
  await expect.poll(() => new URL(page.url()).search).toBe("?search=ada+byr");
  await page.keyboard.press("ControlOrMeta+A");
  await page.keyboard.type("nobody");
  await page.getByText("No attorneys match these filters").waitFor();
  await page.getByRole("link", { name: "Clear filters" }).click();
  await page.getByText("1–50 of 121").waitFor();
  await expect.poll(() => page.getByLabel("Search").inputValue()).toBe("");

  await page.getByLabel("Status").selectOption("On vacation");
  await page.getByText("1–2 of 2").waitFor();
  await expect
    .poll(rows)
    .toEqual([
      expect.stringMatching(
        /^Panel Member 7 .* On vacation until 06\/30\/2099 \$0\.00 \$0\.00 Never$/,
      ),
      expect.stringMatching(
        /^Panel Member 8 .* Suspended On vacation until 07\/31\/2099 \$0\.00 \$0\.00 Never$/,
      ),
    ]);
  await page.getByLabel("Status").selectOption("Suspended");
  await page.getByText("1–1 of 1").waitFor();
  await page.reload();
  await page.getByText("1–1 of 1").waitFor();
  await expect.poll(() => page.getByLabel("Status").inputValue()).toBe("suspended");
  await page.getByRole("link", { name: "Panel Member 8" }).click();
  await page.getByRole("heading", { name: "Panel Member 8" }).waitFor();
  await page.goBack();
  await page.getByText("1–1 of 1").waitFor();
  await page.goBack();
  await page.getByText("1–2 of 2").waitFor();

  await page.goto("/admin/attorneys?page=9&status=paused&sort=-name");
  await page.getByRole("link", { name: "Go to the first page" }).click();
  await page.getByText("1–2 of 2").waitFor();
  expect(new URL(page.url()).search).toBe("?status=paused&sort=-name");
});

test("contact details are edited; untouched fields keep a colleague's changes", async () => {
  const { id } = await makeAttorney(app.db, network, { firstName: "Ada", lastName: "Byron" });
  await page.goto(`/admin/attorneys/${id}?view=details`);
  await page.getByRole("button", { name: "Edit" }).click();
  const editing = page.getByRole("dialog", { name: "Edit contact details" });
  await editing.getByLabel("Last name").fill("King");
  await app.db
    .updateTable("attorneys")
    .set({ phone: "617 555 0100" })
    .where("id", "=", id)
    .execute();
  await editing.getByRole("button", { name: "Save contact details" }).click();
  await page.getByText("Contact details saved.").waitFor();
  await page.getByRole("heading", { name: "Ada King" }).waitFor();
  await expect.poll(details).toContain("Phone 617 555 0100 Address Not provided");

  await page.getByRole("button", { name: "Edit" }).click();
  await editing.getByLabel("Phone").fill("call me");
  await editing.getByRole("button", { name: "Save contact details" }).click();
  await editing.getByRole("link", { name: /^Phone must be a US phone number/ }).waitFor();
  await editing.getByLabel("Phone").fill("617.555.0101");
  await editing.getByLabel("State").selectOption("MA, Massachusetts");
  await editing.getByRole("button", { name: "Save contact details" }).click();
  await editing.waitFor({ state: "hidden" });
  await expect.poll(details).toContain("Phone (617) 555-0101 Address MA");

  await page.getByRole("button", { name: "Edit" }).click();
  await editing.getByLabel("First name").fill(" ");
  await editing.getByRole("button", { name: "Save contact details" }).click();
  await editing.getByRole("link", { name: "Enter a first name." }).waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Discard", exact: true }).click();
  await editing.waitFor({ state: "detached" });
  await page.getByRole("heading", { name: "Ada King" }).waitFor();
  expect(watched.alerts).toEqual([]);
});

test("an invited attorney chooses a password with the link and gets to the dashboard", async () => {
  const attorney = await makeAttorney(app.db, network, { firstName: "Ada", lastName: "Byron" });
  await makeDebit(app.db, network, attorney, { amountCents: 5000 });
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.goto(`/admin/attorneys/${attorney.id}?view=details`);
  await page.getByRole("button", { name: "Invite to sign in" }).click();
  const inviting = page.getByRole("dialog", { name: "Invite to sign in" });
  await inviting.getByText("It works once, for seven days").waitFor();
  await inviting.getByRole("button", { name: "Make a sign-in link" }).click();
  await inviting.getByRole("button", { name: "Copy link" }).click();
  await inviting.getByText("Copied.").waitFor();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  await expect.poll(() => inviting.getByLabel("Sign-in link").inputValue()).toBe(copied);
  const link = new URL(copied);

  const invited = await (await browser.newContext({ baseURL: address })).newPage();
  await invited.goto(`${link.pathname}${link.hash}`);
  await invited.getByText(`You will sign in as ${attorney.email}`).waitFor();
  await invited.getByLabel("Password").fill("a good long one");
  await invited.getByRole("button", { name: "Choose password and sign in" }).click();
  await invited.getByText("You owe $50.00").waitFor();
  await expect.poll(() => new URL(invited.url()).pathname).toBe("/dashboard");
  await page.reload();
  await expect.poll(details).toContain("Sign-in Can sign in");
  expect(await page.getByRole("button", { name: "Invite to sign in" }).count()).toBe(0);
  await page.getByRole("button", { name: "New password link" }).click();
  await page.getByText("ask your system administrator to make a link").waitFor();
  await invited.context().close();
});

/** The text of each row of the list. */
async function rows(): Promise<string[]> {
  const texts = await page
    .getByRole("table", { name: "Attorneys" })
    .locator("tbody tr")
    .allInnerTexts();
  return texts.map(oneLine);
}
