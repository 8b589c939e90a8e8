import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Locator } from "playwright-core";
import { expect } from "vitest";
import { makeMatter } from "#tests/support/records/matters.ts";
import { makeNetwork } from "#tests/support/records/networks.ts";
import { makeAccount } from "#main/demo/records/attorneys.ts";
import { makeAttorney } from "#tests/support/records/attorneys.ts";
import { app, attorney, network } from "#tests/support/app-test.ts";
import { aChargedDebit } from "#tests/support/check-records.ts";
import { openPage, page, pageTest } from "#tests/support/page-test.ts";
import { givePassword } from "#tests/support/passwords.ts";
import { chooseFile } from "#tests/support/screens/imports.ts";
import { openStage } from "#tests/support/built-app-and-browser.ts";
import { aVisitor, signedIn } from "#tests/support/visitor.ts";
import { aWatchedPage, barriersOf } from "#tests/support/watched-page.ts";

/* Without a mail server no screen promises an email: messages are only saved. */

const test = pageTest({
  clock: "2026-11-30T17:00:00Z",
  network: {},
  attorney: { firstName: "Ada", lastName: "Byron" },
  by: "admin",
});

const kept = "Email is not set up: messages are saved, not sent.";
const promise = /\b(?:is|are|and|be) (?:e?mailed|told by mail)\b|\bgets one mail\b/;

async function expectSavedNotSent(inside: Locator): Promise<void> {
  await inside.getByText(kept).waitFor();
  await inside.getByRole("link", { name: "Email settings" }).waitFor();
  expect(await inside.innerText()).not.toMatch(promise);
}

test("dialogs say that emails are only saved, and link to the explanation", async () => {
  const matter = await makeMatter(app.db, network, { attorney, dueOn: "2026-12-20" });
  await aChargedDebit(app.db, network, attorney, { dueOn: "2026-10-01" });
  const dialog = page.getByRole("dialog");

  await page.goto(`/admin/matters/${matter}`);
  for (const name of ["Reassign", "Withdraw"]) {
    await page.getByRole("button", { name, exact: true }).click();
    await expectSavedNotSent(dialog);
    expect(await barriersOf(page)).toEqual([]);
    await page.keyboard.press("Escape");
  }

  await page.goto("/admin/attorneys");
  await page.getByRole("checkbox", { name: "Choose Ada Byron" }).click();
  await page.getByRole("button", { name: "Remind", exact: true }).click();
  await dialog.getByText(/^Remind 1 attorney of/).waitFor();
  await expectSavedNotSent(dialog);
  await page.keyboard.press("Escape");

  await page.goto("/admin/settings/suspension");
  await page.getByLabel("Enable overdue suspensions?").click();
  await expectSavedNotSent(dialog);
  await dialog.getByRole("link", { name: "Email settings" }).click();
  await page.getByRole("heading", { name: "Email settings" }).waitFor();
  await page.getByText("Email is not being sent").waitFor();
  const statements = page.getByRole("form", { name: "Monthly statements" });
  await statements.getByText(kept).waitFor();
  expect(await statements.innerText()).not.toMatch(promise);
});

test("an import says so about addresses to be confirmed", async () => {
  const { userId } = await makeAccount(app.db, network, attorney);
  await givePassword(app.db, userId);
  const known = { networkId: network.id, barNumber: "4471" };
  await app.db.updateTable("attorneys").set(known).where("id", "=", attorney.id).execute();
  await page.goto("/admin/attorneys/import");
  await chooseFile("Bar number,First name,Last name,Email\n4471,Ada,Byron,ada.new@example.test\n");
  const words = page.getByText("confirmed by a link, because the attorney signs in with it.");
  await words.waitFor();
  expect(await words.innerText()).toContain(kept);
  expect(await page.locator("main").innerText()).not.toContain("by mail");
});

test("someone who forgot the password is told whom to ask", async () => {
  await openPage({ visitor: aVisitor(app) });
  await page.goto("/sign-in/link");
  await page.getByText(/This service does not send email yet. Ask your referral service/).waitFor();
  await page.getByRole("button", { name: "Make a link" }).waitFor();
});

test("with a mail server dialogs say who will be emailed", async () => {
  const sending = await openStage({ sendsMail: true });
  const itsNetwork = await makeNetwork(sending.app.db);
  const itsAttorney = await makeAttorney(sending.app.db, itsNetwork);
  const matter = await makeMatter(sending.app.db, itsNetwork, { attorney: itsAttorney });
  const seen = await aWatchedPage(sending.browser, {
    address: sending.address,
    visitor: await signedIn(sending.app, "admin", itsNetwork),
  });
  await seen.page.goto(`/admin/matters/${matter}`);
  await seen.page.getByRole("button", { name: "Reassign", exact: true }).click();
  await seen.page.getByRole("dialog").getByText("Both are emailed.").waitFor();
  expect(await seen.page.getByText(kept).count()).toBe(0);
  await seen.close(); // before its server stops
  await sending.close();
});

test("no screen promises an email without checking that email is set up", () => {
  const root = join(import.meta.dirname, "../../src");
  // Refused without email; reached by a link in an email; how to set up email; that nobody is emailed.
  const exempt = /(InviteChosenDialog|EmailChangeScreen|FirstSteps|CloseDialog)\.tsx$/;
  const comments = /\/\*[\s\S]*?\*\/|(^|\s)\/\/ .*$/gm;
  const promising = globSync("**/*.tsx", { cwd: root }).filter((file) => {
    const text = readFileSync(join(root, file), "utf8").replaceAll(comments, "");
    return /(?<!not )\be?mailed(?: (?!words)|\.)|by e?mail\b(?!")|\bgets? (?:one|an?) e?mail/i.test(
      text,
    );
  });
  expect(promising.length).toBeGreaterThan(10);
  expect(
    promising.filter((file) => {
      const asks = readFileSync(join(root, file), "utf8").includes("mail-delivery.tsx");
      return !asks && !exempt.test(file);
    }),
  ).toEqual([]);
});
