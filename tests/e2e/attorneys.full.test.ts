import { expect } from "vitest";
import { makeAttorney } from "#tests/support/records/attorneys.ts";
import { aFirm } from "#tests/support/received-checks.ts";
import { app, network } from "#tests/support/app-test.ts";
import { address, browser, page, pageTest, watched } from "#tests/support/page-test.ts";
import { details } from "#tests/support/screens/attorneys.ts";

/* Further cases of the panel; src/people tests refusals, tests/security/links.test.ts ended links. */

const test = pageTest({ network: {}, by: "admin" });

test("another attorney's email address is refused at the field", async () => {
  await makeAttorney(app.db, network, { email: "taken@example.org" });
  await page.goto("/admin/attorneys");
  await page.getByRole("button", { name: "Add an attorney" }).click();
  await page.getByLabel("First name").fill("Ada");
  await page.getByLabel("Last name").fill("Byron");
  await page.getByLabel("Email address").fill("taken@example.org");
  await page.getByRole("button", { name: "Add attorney" }).click();
  const refusal = "Another attorney on the panel already has this email address.";
  await page.getByRole("link", { name: refusal }).click();
  await expect.poll(() => watched.alerts).toEqual([refusal]);
  await expect
    .poll(() => page.getByLabel("Email address").getAttribute("aria-invalid"))
    .toBe("true");
  await expect.poll(() => page.getByLabel("Last name").inputValue()).toBe("Byron");
  await page.getByLabel("Email address").fill("ada@example.org");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Ada Byron" }).waitFor();
});

test("a mistyped address is corrected and the lawyer invited again: the first link no longer works", async () => {
  const { id } = await makeAttorney(app.db, network, {
    firstName: "Ada",
    lastName: "Byron",
    email: "adda@example.org",
  });
  await page.goto(`/admin/attorneys/${id}?view=details`);
  const link = await inviteByDialog();
  await page.keyboard.press("Escape");
  await expect.poll(details).toContain("Sign-in Invited");
  await page.getByRole("button", { name: "Edit" }).click();
  await page.getByLabel("Email address").fill("ada@example.org");
  await page.getByRole("button", { name: "Save contact details" }).click();
  await page
    .getByText("The invitation to adda@example.org no longer works. Invite Ada Byron again.")
    .waitFor();
  await expect.poll(details).toContain("Sign-in Invitation ended");
  const wrongMailbox = await (await browser.newContext({ baseURL: address })).newPage();
  wrongMailbox.on("dialog", (dialog) => dialog.accept());
  await wrongMailbox.goto(link);
  await wrongMailbox.getByText("This link has been used or has expired.").first().waitFor();
  await wrongMailbox.context().close();
  await inviteByDialog();
  await page.keyboard.press("Escape");
  await expect.poll(details).toContain("Sign-in Invited");
  expect(watched.alerts).toEqual([]);
});

/** Make a sign-in link. Returns the link that the dialog shows. */
async function inviteByDialog(): Promise<string> {
  await page.getByRole("button", { name: "Invite to sign in" }).click();
  const inviting = page.getByRole("dialog", { name: "Invite to sign in" });
  await inviting.getByText("Email is not set up: messages are saved, not sent.").waitFor();
  await inviting.getByRole("button", { name: "Make a sign-in link" }).click();
  const { pathname, hash } = new URL(await inviting.getByLabel("Sign-in link").inputValue());
  return pathname + hash;
}

test("a firm filter is chosen, changed and cleared without leaving the keyboard", async () => {
  const attorney = async () => await makeAttorney(app.db, network, { lastName: "Hale" });
  await aFirm(app.db, network, [await attorney()], "Hale LLP");
  await aFirm(app.db, network, [await attorney(), await attorney()], "Okafor & Lane");
  await page.goto("/admin/attorneys");
  await page.getByText("1–3 of 3").waitFor();
  const firm = page.locator("input").and(page.getByRole("combobox", { name: "Firm" })); // once its code is loaded
  await firm.focus();
  for (const [typed, name, rows] of [
    ["hale", "Hale LLP", "1–1 of 1"],
    ["okafor", "Okafor & Lane", "1–2 of 2"],
  ] as const) {
    await page.keyboard.type(typed);
    await page.getByRole("option", { name }).waitFor();
    await page.keyboard.press("Enter");
    await page.getByText(rows).waitFor();
    await page.getByRole("main").getByText(name, { exact: true }).first().waitFor();
    expect(await firm.evaluate((input) => input === document.activeElement)).toBe(true);
  }
  await page.reload();
  await page.getByText("1–2 of 2").waitFor();
  await page.getByRole("main").getByText("Okafor & Lane", { exact: true }).first().waitFor();
  await firm.focus();
  await page.keyboard.press("Backspace");
  await page.getByText("1–3 of 3").waitFor();
  expect(await firm.evaluate((input) => input === document.activeElement)).toBe(true);
});
