import { sql } from "kysely";
import { expect } from "vitest";
import { endOtherSessions, listSessions } from "#features/auth/contract.ts";
import { makeNetwork } from "#features/demo/records/networks.ts";
import { sessionTokenOf } from "#tests/support/cable.ts";
import { givePassword, testPassword } from "#tests/support/passwords.ts";
import { signedIn } from "#tests/support/visitor.ts";
import { app } from "#tests/support/app-test.ts";
import { address, openPage, page, watched } from "#tests/support/page-test.ts";
import { barriersOf } from "#tests/support/watched-page.ts";
import { focused, network, signIn, signInTest } from "#tests/support/screens/sign-in.ts";

const test = signInTest();

test("signing in leads to the page that was asked for; signing out ends the session, and the pages behind it", async () => {
  await page.goto(`${address}/account`);
  await signIn(network.admin.email, testPassword);
  await page.getByRole("heading", { name: "Your account" }).waitFor();
  await expect.poll(() => new URL(page.url()).pathname).toBe("/account");
  expect(await barriersOf(page)).toEqual([]);

  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
  await page.goto(`${address}/admin/attorneys`);
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
  await expect.poll(() => page.url()).toBe(`${address}/sign-in?next=%2Fadmin%2Fattorneys`);
});

test("a wrong password is refused in words, and what was typed stays", async () => {
  await page.goto(`${address}/sign-in`);
  await signIn(network.admin.email, "not the password");
  const summary = page.getByRole("alert");
  await summary.waitFor();
  const words = "The email address or the password is not right. Check both and try again.";
  await expect.poll(() => summary.innerText()).toContain(words);
  await expect.poll(() => watched.alerts).toEqual([words]);
  await expect.poll(() => page.getByLabel("Email address").inputValue()).toBe(network.admin.email);
  expect(await barriersOf(page)).toEqual([]);
});

test("no link can lead to another site after signing in", async () => {
  await page.goto(`${address}/sign-in?next=//elsewhere.example/`);
  await signIn(network.admin.email, testPassword);
  await page.getByRole("heading", { name: "Today" }).waitFor();
  await expect.poll(() => page.url()).toBe(`${address}/admin`);
});

test("a forgotten password is asked for in the same words, account or not, and chosen by the link", async () => {
  await page.goto(`${address}/sign-in`);
  await page.getByRole("link", { name: "Forgotten your password?" }).click();
  await page.getByRole("heading", { name: "Forgotten password" }).waitFor();
  await page.getByRole("button", { name: "Mail me a link" }).click();
  await page.getByRole("link", { name: "Enter an email address." }).waitFor();
  expect(await barriersOf(page)).toEqual([]);
  const { admin } = await makeNetwork(app.db);
  for (const email of ["nobody@example.test", admin.email]) {
    await page.getByLabel("Email address").fill(email);
    await page.getByRole("button", { name: "Mail me a link" }).click();
    await page
      .getByText(`If ${email} has an account, a link is on its way. It works once, for two hours.`)
      .waitFor();
  }
  expect(watched.alerts).toEqual([]);
  const mails = await app.db
    .selectFrom("mails")
    .select(["recipient", "body"])
    .where("subject", "=", "Choose a new password")
    .execute();
  expect(mails.map(({ recipient }) => recipient)).toEqual([admin.email]);
  const code = /#([\w-]+)/.exec(mails[0]?.body ?? "")?.[1];
  await page.goto("about:blank");
  await page.goto(`${address}/sign-in/link#${code}`);
  await page.getByText(`You will sign in as ${admin.email}`).waitFor();
});

test("a password is changed by who knows the old one", async () => {
  const { admin } = await makeNetwork(app.db);
  await givePassword(app.db, admin.userId);
  await page.goto(`${address}/account/security`);
  await signIn(admin.email, testPassword);
  await page.getByLabel("Current password").fill(testPassword);
  await page.getByLabel("New password").fill("an even better one");
  await page.getByRole("button", { name: "Change password" }).click();
  await page.getByRole("status").getByText("Your password is changed.").waitFor();
  await expect.poll(() => page.getByLabel("Current password").inputValue()).toBe("");
});

test("before another administrator is invited the password is asked for again, and what was typed stays", async () => {
  const visitor = await signedIn(app, "admin", network);
  await openPage({ visitor });
  await sql`update sessions set confirmed_at = now() - interval '11 minutes'
    where token = ${sessionTokenOf(visitor)}`.execute(app.db);
  await page.goto(`${address}/admin/settings/people`);
  await page.getByRole("button", { name: "Invite an administrator" }).click();
  const inviting = page.getByRole("dialog", { name: "Invite an administrator" });
  const confirming = page.getByRole("dialog", { name: "Confirm that this is you" });
  await inviting.getByLabel("Name").fill("Zoë O'Neil");
  await inviting.getByLabel("Email address").fill(`zoe-${network.id}@example.test`);
  await inviting.getByLabel("Email address").press("Enter");
  await confirming.waitFor();
  await expect.poll(focused).toBe("password");
  expect(await barriersOf(page)).toEqual([]);
  await page.keyboard.press("Escape");
  await inviting.getByText("Prove again that this is you").waitFor();
  await expect.poll(() => confirming.count()).toBe(0);
  await inviting.getByRole("button", { name: "Invite administrator" }).click();
  await confirming.getByLabel("Your password").fill("not the password");
  await page.keyboard.press("Enter");
  await confirming.getByRole("link", { name: "The password is not right." }).waitFor();
  await confirming.getByLabel("Your password").fill(testPassword);
  await page.keyboard.press("Enter");
  await expect
    .poll(() => inviting.getByLabel("Sign-in link").inputValue())
    .toMatch(/\/sign-in\/link#/);
});

test("one sees where one is signed in, and signs out elsewhere; what the page asks by itself says so", async () => {
  const visitor = await signedIn(app, "admin", network);
  await openPage({ visitor });
  await visitor.call(endOtherSessions);
  await page.goto(`${address}/account/security`);
  await page.getByText("You are signed in nowhere else.").waitFor();
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
  await page.getByText("Firefox on Windows is signed out.").waitFor();
  expect(await barriersOf(page)).toEqual([]);
  await page.getByRole("button", { name: "Sign out everywhere else" }).click();
  await page.getByText("You are signed in nowhere else.").waitFor();
  for (const other of others) expect((await other.ask(listSessions)).status).toBe(401);
});
