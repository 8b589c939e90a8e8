import { sql } from "kysely";
import { expect } from "vitest";
import { makeAdmin } from "#tests/support/records/networks.ts";
import { admin, app, network } from "#tests/support/app-test.ts";
import { openPage, page, pageTest, watched } from "#tests/support/page-test.ts";
import { givePassword, testPassword } from "#tests/support/passwords.ts";
import { codeOf, giveAuthenticatorApp, wrongCodeOf } from "#tests/support/second-factors.ts";
import { aVisitor } from "#tests/support/visitor.ts";
import { barriersOf } from "#tests/support/watched-page.ts";

const test = pageTest({ network: { name: "Harbor County" } });

test("an administrator who must have an authenticator app sets it up and signs in with its codes", async () => {
  await givePassword(app.db, network.admin.userId);
  await sql`update users set created_at = now() - interval '30 days'`.execute(app.db);
  await sql`update networks set second_factor_required_since = now() - interval '8 days'`.execute(
    app.db,
  );
  await openPage({ visitor: aVisitor(app), isPhone: true });
  await page.goto("/admin/attorneys");
  await enterPassword();

  // Everything else is closed.
  await page.getByRole("region", { name: "Set up a second factor to continue" }).waitFor();
  await expect.poll(() => new URL(page.url()).pathname).toBe("/account/security");
  await page.getByRole("button", { name: "Set up an authenticator app" }).click();
  await page.getByRole("img", { name: "QR code for the authenticator app" }).waitFor();
  const shown = await page.getByText(/^([A-Z2-7]{4} ){12}/).innerText();
  const secret = shown.replaceAll(/\s/g, "");
  const wrong = await wrongCodeOf(secret);
  await page.getByLabel("Code", { exact: true }).fill(wrong);
  await page.getByRole("button", { name: "Confirm the code" }).click();
  await page.getByRole("alert").getByText("This code is wrong.").waitFor();
  expect(await page.getByLabel("Code", { exact: true }).inputValue()).toBe(wrong);
  expect(await barriersOf(page)).toEqual([]);
  expect(await isTooWide()).toBe(false);
  const used = await codeOf(secret);
  await page.getByLabel("Code", { exact: true }).fill(used);
  await page.keyboard.press("Enter");
  const codes = page.getByRole("list", { name: "Recovery codes" });
  await codes.waitFor();
  const [recoveryCode = ""] = await codes.getByRole("listitem").allInnerTexts();
  expect(await barriersOf(page)).toEqual([]);
  expect(await isTooWide()).toBe(false);
  await page.getByRole("button", { name: "I have saved them" }).click();
  await page.getByText("10 recovery codes are left.").waitFor();
  await page.getByRole("region", { name: "Set up a second factor to continue" }).waitFor({
    state: "detached",
  });

  // Signed out: the password, and a code.
  await page.goto("about:blank"); // an open page would go to the sign-in page itself
  await app.db.deleteFrom("sessions").execute();
  await page.goto("/account");
  await enterPassword();
  await page.getByRole("heading", { name: "Enter your code" }).waitFor();
  await expect.poll(focused).toBe("code");
  await page.keyboard.type(used);
  await page.keyboard.press("Enter");
  await page.getByRole("alert").getByText("was already used").waitFor();
  expect(await page.getByLabel("Code", { exact: true }).inputValue()).toBe(used);
  expect(await barriersOf(page)).toEqual([]);
  await page.getByRole("button", { name: "Use a recovery code instead" }).click();
  await expect.poll(() => page.getByLabel("Recovery code").isVisible()).toBe(true);
  await expect.poll(focused).toBe("code");
  await page.getByRole("button", { name: "Use the authenticator app instead" }).click();
  await page.getByLabel("Code", { exact: true }).fill(await codeOf(secret, 1));
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Your account" }).waitFor();

  // The session ends on a page with typed text: the same two steps in its dialog.
  await page.getByRole("link", { name: /^Password, second factors/ }).click();
  await page.getByLabel("New password").fill("typed, and not sent yet");
  await app.db.deleteFrom("sessions").execute();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("Your session has ended.").waitFor();
  await dialog.getByLabel("Email address").fill(network.admin.email);
  await dialog.getByLabel("Password").fill(testPassword);
  await page.keyboard.press("Enter");
  await dialog.getByRole("heading", { name: "Enter your code" }).waitFor();
  await dialog.getByRole("button", { name: "Use a recovery code instead" }).click();
  await dialog.getByLabel("Recovery code").fill(recoveryCode);
  expect(await barriersOf(page)).toEqual([]);
  await page.keyboard.press("Enter");
  await dialog.waitFor({ state: "detached" });
  expect(await page.getByLabel("New password").inputValue()).toBe("typed, and not sent yet");
  await page.getByText("9 recovery codes are left.").waitFor();
});

test("Settings, People can require a second factor, and remove a lost one", async () => {
  const email = `grace-${network.id}@example.test`;
  const userId = await makeAdmin(app.db, network, { name: "Grace Ful", email });
  await giveAuthenticatorApp(app, { userId, email });
  await openPage({ visitor: admin });
  await page.goto("/admin/settings/people");
  await page.getByText("One of the 2 administrators has no second factor.").waitFor();
  await page.getByRole("button", { name: "Require a second factor" }).click();
  await page.getByText(/^Administrators now need a second factor\.$/).waitFor();
  await page.getByRole("region", { name: "Set up a second factor for signing in" }).waitFor();
  expect(await barriersOf(page)).toEqual([]);
  await page.getByRole("button", { name: "Remove the second factor of Grace Ful" }).click();
  await page.getByText("The second factor of Grace Ful was removed.").waitFor();
  await page.getByText("2 of the 2 administrators have no second factor.").waitFor();
  expect(watched.alerts.map((question) => question.slice(0, 50))).toEqual([
    "Require a second factor from every administrator? ",
    "Remove the second factor of Grace Ful? Do this onl",
  ]);
});

async function enterPassword(): Promise<void> {
  await page.getByLabel("Email address").fill(network.admin.email);
  await page.getByLabel("Password").fill(testPassword);
  await page.keyboard.press("Enter");
}

const focused = () => page.evaluate(() => document.activeElement?.getAttribute("name"));
const isTooWide = () =>
  page.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth);
