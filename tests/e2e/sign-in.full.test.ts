import { sql } from "kysely";
import { expect } from "vitest";
import { endOtherSessions, listSessions } from "#access/sign-in/contract.ts";
import { listMail } from "#outgoing/mail/contract.ts";
import { recordMatter } from "#referrals/matters/contract.ts";
import { payByCheck } from "#payments/contract.ts";
import { makeNetwork } from "#tests/support/records/networks.ts";
import { makeAccount } from "#main/demo/records/attorneys.ts";
import { makeAttorney } from "#tests/support/records/attorneys.ts";
import { sessionTokenOf } from "#tests/support/cable.ts";
import { givePassword, testPassword } from "#tests/support/passwords.ts";
import { makeDebit } from "#tests/support/records/dues.ts";
import { signedIn } from "#tests/support/visitor.ts";
import { app } from "#tests/support/app-test.ts";
import { address, browser, openPage, page, watched } from "#tests/support/page-test.ts";
import { codeOf, giveAuthenticatorApp } from "#tests/support/second-factors.ts";
import { barriersOf } from "#tests/support/watched-page.ts";
import { makeSignInLink } from "#access/sign-in/sign-in-links.ts";
import { focused, network, signIn, signInTest, usernames } from "#tests/support/screens/sign-in.ts";
import { lookAtPage } from "#tests/support/screens/unsaved.ts";

/* Further cases of signing in; render-mail.test.ts tests where links in emails lead. */

const test = signInTest();

test("a link in an email leads to its page after signing in, however many steps that takes", async () => {
  const attorney = await makeAttorney(app.db, network, { firstName: "Maya", lastName: "Okafor" });
  const { userId } = await makeAccount(app.db, network, attorney);
  await givePassword(app.db, userId);
  const debit = await makeDebit(app.db, network, attorney, { amountCents: 5_000 });
  const lawyer = await signedIn(app, attorney, network);
  await lawyer.call(payByCheck, { body: { payment_hash: { [debit]: "50" }, check_number: "7" } });
  const admin = await signedIn(app, "admin", network);
  const client = { first_name: "Jane", last_name: "Doe", attorney_id: attorney.id };
  await admin.call(recordMatter, { body: client });
  const { items } = await admin.call(listMail);
  const link = (subject: RegExp) => {
    const body = items.find((mail) => subject.test(mail.subject))?.body ?? "";
    const { pathname, search } = new URL(body.split("\n").at(-1) ?? "");
    return address + pathname + search;
  };

  await page.goto(link(/^Your check 7 for \$50\.00 is recorded$/));
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
  await signIn(attorney.email, "not the password");
  await page.getByRole("alert").waitFor();
  await signIn(attorney.email, testPassword);
  await page.getByRole("heading", { name: "Check 7, pending" }).waitFor();
  await page.getByText("Maya Okafor").first().waitFor();

  await page.context().clearCookies();
  await page.goto(link(/^A client has been referred to you$/));
  await signIn(attorney.email, testPassword);
  await page.getByRole("heading", { name: "Referrals", exact: true }).waitFor();
  await page.getByRole("dialog", { name: "Jane Doe" }).waitFor();

  await page.context().clearCookies();
  await page.goto(`${address}/receipts/999999999`);
  await signIn(attorney.email, testPassword);
  await page.getByRole("heading", { name: "Page not found" }).waitFor();
  await expect.poll(() => new URL(page.url()).pathname).toBe("/receipts/999999999");
});

test("missing fields are named at the top and at each field, without a request", async () => {
  await page.goto(`${address}/sign-in`);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("link", { name: "Enter your password." }).click();
  await expect.poll(focused).toBe("password");
  await expect.poll(() => page.getByText("Enter your email address.").count()).toBe(2);
  expect(watched.alerts).toEqual([]);
});

test("light and dark are remembered by the browser", async () => {
  await page.goto(`${address}/account`);
  await signIn(network.admin.email, testPassword);
  await page.getByRole("radio", { name: "Dark" }).check();
  await page.reload();
  await expect.poll(() => page.getByRole("radio", { name: "Dark" }).isChecked()).toBe(true);
  await expect.poll(colorScheme).toBe("dark");
  expect(await barriersOf(page)).toEqual([]);
});

test("a single-use link lets its person choose a password, once", async () => {
  const { admin } = await makeNetwork(app.db, { name: "Lakeside" });
  const { networkId, userId } = admin;
  const { url } = await makeSignInLink(app.db, { networkId, userId }, "invitation", {
    publicUrl: address,
    by: network.admin,
    from: null,
  });
  const asked: string[] = [];
  page.on("request", (request) =>
    asked.push(
      request.url(),
      request.headers()["referer"] ?? "",
      request.headers()["origin"] ?? "",
    ),
  );
  const code = new URL(url).hash.slice(1);
  await page.goto(url.replace("#", "")); // damaged
  await page.getByRole("heading", { name: "This link is damaged" }).waitFor();
  await page.goto(url.slice(0, -30));
  await page.getByRole("alert").getByText("The link is damaged.").waitFor();
  await page.goto(url.replace("#", "%23")); // as Outlook's Safe Links makes it
  await page.getByText(`You will sign in as ${admin.email}`).waitFor();
  expect(asked.filter((one) => one.includes(code))).toEqual([
    `${address}/sign-in/link${code}`,
    `${address}/sign-in/link%23${code}`,
  ]);
  expect(await usernames()).toEqual([admin.email]);
  await page.getByLabel("Password").fill("short");
  await page.getByRole("button", { name: "Choose password and sign in" }).click();
  await page.getByRole("link", { name: "Password must have at least 12 characters." }).waitFor();
  await page.getByLabel("Password").fill("long enough now");
  await page.getByRole("button", { name: "Choose password and sign in" }).click();
  await page.waitForURL(`${address}/admin`);

  const other = await browser.newPage();
  other.on("dialog", (dialog) => dialog.accept());
  await other.goto(url);
  const refusal = other.getByRole("alert");
  await refusal.waitFor();
  await expect.poll(() => refusal.innerText()).toContain("This link has been used or has expired.");
  await other.context().close();
});

test("after choosing a password, someone not signed in with it is led to sign in", async () => {
  const { admin } = await makeNetwork(app.db, { name: "Lakeside" });
  const { networkId, userId } = admin;
  const by = { publicUrl: address, by: network.admin, from: null };
  const { url } = await makeSignInLink(app.db, { networkId, userId }, "invitation", by);
  await page.goto(url);
  await page.route("**/api/auth/sign-in/email", (route) =>
    route.fulfill({ status: 429, json: { success: false, object: null, message: "Busy." } }),
  );
  await page.getByLabel("Password").fill("long enough now");
  await page.getByRole("button", { name: "Choose password and sign in" }).click();
  await page.getByText("Your password was saved, but signing in did not work. Busy.").waitFor();
  expect(await barriersOf(page)).toEqual([]);
  await page.unroute("**/api/auth/sign-in/email");
  await page.getByRole("link", { name: "Sign in" }).click();
  await page.getByLabel("Email").fill(admin.email);
  await page.getByLabel("Password").fill("long enough now");
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.waitForURL(`${address}/admin`);
});

test("leaving a link's page and coming back keeps the half-typed password and the field for the code", async () => {
  const { admin } = await makeNetwork(app.db, { name: "Lakeside" });
  const { networkId, userId } = admin;
  const { secret } = await giveAuthenticatorApp(app, admin);
  const { url } = await makeSignInLink(app.db, { networkId, userId }, "password_reset", {
    publicUrl: address,
    by: network.admin,
    from: null,
  });
  let asked = 0;
  page.on("request", (request) => {
    if (request.url().endsWith("/sign_in_links/inspect")) asked += 1;
  });
  await page.goto(url);
  await page.getByLabel("Password").fill("long enough");
  await page.route("**/sign_in_links/inspect", (route) =>
    route.fulfill({ status: 429, json: { success: false, object: null, message: "Busy." } }),
  );
  await turnBackToPage();
  await page.unroute("**/sign_in_links/inspect");
  expect(await page.getByLabel("Password").inputValue()).toBe("long enough");
  await page.getByLabel("Password").press("End");
  await page.keyboard.type(" now");
  await page.getByRole("button", { name: "Choose password and sign in" }).click();
  await page.getByText("Now use your second factor to sign in.").waitFor();
  await turnBackToPage(); // from the authenticator app
  await page.getByLabel("Code", { exact: true }).fill(await codeOf(secret));
  await page.keyboard.press("Enter");
  await page.waitForURL(`${address}/admin`);
  expect(asked).toBe(1);
  expect(watched.alerts).toEqual([]);
});

/** Its requests are answered only later. */
async function turnBackToPage(): Promise<void> {
  await lookAtPage();
  await page.evaluate(async () => await (await fetch("/session")).text());
}

const colorScheme = () =>
  page.evaluate(() => getComputedStyle(document.documentElement).colorScheme);

test("a password is changed with the old one", async () => {
  const { admin } = await makeNetwork(app.db);
  await givePassword(app.db, admin.userId);
  await page.goto(`${address}/account/security`);
  await signIn(admin.email, testPassword);
  await page.getByLabel("Current password").fill(testPassword);
  expect(await usernames()).toEqual([admin.email]);
  await page.getByLabel("New password").fill("an even better one");
  await page.getByRole("button", { name: "Change password" }).click();
  await page.getByRole("status").getByText("Your password was changed.").waitFor();
  await expect.poll(() => page.getByLabel("Current password").inputValue()).toBe("");
});

test("people see where they are signed in, and sign out elsewhere; requests that the page makes automatically are marked", async () => {
  const visitor = await signedIn(app, "admin", network);
  await openPage({ visitor });
  await visitor.call(endOtherSessions);
  await page.goto(`${address}/account/security`);
  await page.getByText("You are not signed in anywhere else.").waitFor();
  const firefox = "Mozilla/5.0 (Windows NT 10.0; rv:128.0) Gecko/20100101 Firefox/128.0";
  const elsewhere = await signedIn(app, "admin", network);
  const others = [elsewhere, await signedIn(app, "admin", network)];
  await sql`update sessions set user_agent = ${firefox}, ip_address = '203.0.113.7'
    where token = ${sessionTokenOf(elsewhere)}`.execute(app.db);

  await page.clock.setFixedTime(Date.now() + 61_000); // nobody has touched the page for a minute
  const asked = page.waitForRequest(/\/account\/sessions$/);
  await page.evaluate(() => window.dispatchEvent(new Event("visibilitychange")));
  expect((await asked).headers()["x-automatic"]).toBe("1");
  const sent = page.waitForRequest(/\/end$/);
  await page.getByRole("button", { name: "Sign out Firefox on Windows at 203.0.113.7" }).click();
  expect((await sent).headers()["x-automatic"]).toBeUndefined();
  await page.getByText("Firefox on Windows was signed out.").waitFor();
  expect(await barriersOf(page)).toEqual([]);
  await page.getByRole("button", { name: "Sign out everywhere else" }).click();
  await page.getByText("You are not signed in anywhere else.").waitFor();
  for (const other of others) expect((await other.ask(listSessions)).status).toBe(401);
});
