import { sql } from "kysely";
import { expect } from "vitest";
import { makeNetwork } from "#tests/support/records/networks.ts";
import { sessionTokenOf } from "#tests/support/cable.ts";
import { givePassword, testPassword } from "#tests/support/passwords.ts";
import { signedIn } from "#tests/support/visitor.ts";
import { app } from "#tests/support/app-test.ts";
import { address, openPage, page, watched } from "#tests/support/page-test.ts";
import { barriersOf } from "#tests/support/watched-page.ts";
import { focused, network, signIn, signInTest, usernames } from "#tests/support/screens/sign-in.ts";

const test = signInTest();

test("signing in leads to the requested page; signing out ends the session, also for pages behind it", async () => {
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

test("a wrong password shows a message, and what was typed stays", async () => {
  await page.goto(`${address}/sign-in`);
  await signIn(network.admin.email, "not the password");
  const summary = page.getByRole("alert");
  await summary.waitFor();
  const words = "The email address or the password is wrong. Check both and try again.";
  await expect.poll(() => summary.innerText()).toContain(words);
  await expect.poll(() => watched.alerts).toEqual([words]);
  await expect.poll(() => page.getByLabel("Email address").inputValue()).toBe(network.admin.email);
  expect(await barriersOf(page)).toEqual([]);
});

test("invisible characters of a pasted email address are dropped as it is entered", async () => {
  const { email } = network.admin;
  await page.goto(`${address}/sign-in`);
  await page.getByLabel("Email address").fill(`\u200b${email.replace("@", "\u00ad@")}\u200e\u00a0`);
  expect(await usernames()).toEqual([email]);
});

test("no link can lead to another site after signing in", async () => {
  await page.goto(`${address}/sign-in?next=//elsewhere.example/`);
  await signIn(network.admin.email, testPassword);
  await page.getByRole("heading", { name: "Today" }).waitFor();
  await expect.poll(() => page.url()).toBe(`${address}/admin`);
});

test("a forgotten password gets the same message, account or not, and is chosen with the link", async () => {
  await page.goto(`${address}/sign-in`);
  await page.getByRole("link", { name: "Forgot your password?" }).click();
  await page.getByRole("heading", { name: "Reset your password" }).waitFor();
  await page.getByRole("button", { name: "Make a link" }).click();
  await page.getByRole("link", { name: "Enter an email address." }).waitFor();
  expect(await barriersOf(page)).toEqual([]);
  const { admin } = await makeNetwork(app.db);
  await givePassword(app.db, admin.userId);
  for (const email of ["nobody@example.test", admin.email]) {
    await page.getByLabel("Email address").fill(email);
    await page.getByRole("button", { name: "Make a link" }).click();
    await page
      .getByText(
        `If ${email} has an account, a link was made and saved on this service's server. It works once, for two hours.`,
      )
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

test("inviting another administrator asks for the password again, and what was typed stays", async () => {
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
  expect(await usernames()).toEqual([network.admin.email]);
  await expect.poll(focused).toBe("password");
  expect(await barriersOf(page)).toEqual([]);
  await page.keyboard.press("Escape");
  await inviting.getByText("Confirm that it is you").waitFor();
  await expect.poll(() => confirming.count()).toBe(0);
  await inviting.getByRole("button", { name: "Invite administrator" }).click();
  await confirming.getByLabel("Your password").fill("not the password");
  await page.keyboard.press("Enter");
  await confirming.getByRole("link", { name: "The password is wrong. Try again." }).waitFor();
  await confirming.getByLabel("Your password").fill(testPassword);
  await page.keyboard.press("Enter");
  await expect
    .poll(() => inviting.getByLabel("Sign-in link").inputValue())
    .toMatch(/\/sign-in\/link#/);
});
