import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Locator } from "playwright-core";
import { expect } from "vitest";
import { makeMatter } from "#tests/support/records/matters.ts";
import { makeNetwork } from "#tests/support/records/networks.ts";
import { makeAccount } from "#main/demo/records/attorneys.ts";
import { makeAttorney } from "#tests/support/records/attorneys.ts";
import { app, attorney, network } from "#tests/support/app-test.ts";
import { aChargedDebit } from "#tests/support/desk.ts";
import { openPage, page, pageTest } from "#tests/support/page-test.ts";
import { givePassword } from "#tests/support/passwords.ts";
import { chooseFile } from "#tests/support/screens/imports.ts";
import { openStage } from "#tests/support/stage.ts";
import { aVisitor, signedIn } from "#tests/support/visitor.ts";
import { aWatchedPage, barriersOf } from "#tests/support/watched-page.ts";

/* Without a mail server nothing on a screen says that somebody is mailed: mails are kept. */

const test = pageTest({
  clock: "2026-11-30T17:00:00Z",
  network: {},
  attorney: { firstName: "Ada", lastName: "Byron" },
  by: "admin",
});

const kept = "Mail is not set up: mails are kept, not sent.";
const promise = /\b(?:is|are|and|be) (?:e?mailed|told by mail)\b|\bgets one mail\b/;

async function expectKept(inside: Locator): Promise<void> {
  await inside.getByText(kept).waitFor();
  await inside.getByRole("link", { name: "Mail settings" }).waitFor();
  expect(await inside.innerText()).not.toMatch(promise);
}

test("dialogs say that mails are kept, and lead to where that is explained", async () => {
  const matter = await makeMatter(app.db, network, { attorney, dueOn: "2026-12-20" });
  await aChargedDebit(app.db, network, attorney, { dueOn: "2026-10-01" });
  const dialog = page.getByRole("dialog");

  await page.goto(`/admin/matters/${matter}`);
  for (const name of ["Reassign", "Withdraw"]) {
    await page.getByRole("button", { name, exact: true }).click();
    await expectKept(dialog);
    expect(await barriersOf(page)).toEqual([]);
    await page.keyboard.press("Escape");
  }

  await page.goto("/admin/attorneys");
  await page.getByRole("checkbox", { name: "Choose Ada Byron" }).click();
  await page.getByRole("button", { name: "Remind", exact: true }).click();
  await dialog.getByText(/^Remind 1 attorney of/).waitFor();
  await expectKept(dialog);
  await page.keyboard.press("Escape");

  await page.goto("/admin/settings/suspension");
  await page.getByLabel("Enable overdue suspensions?").click();
  await expectKept(dialog);
  await dialog.getByRole("link", { name: "Mail settings" }).click();
  await page.getByRole("heading", { name: "Mail settings" }).waitFor();
  await page.getByText("Mail is not being sent").waitFor();
  const statements = page.getByRole("form", { name: "Monthly statements" });
  await statements.getByText(kept).waitFor();
  expect(await statements.innerText()).not.toMatch(promise);
});

test("an import says so of addresses that wait to be confirmed", async () => {
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

test("somebody who has forgotten the password is told whom to ask", async () => {
  await openPage({ visitor: aVisitor(app) });
  await page.goto("/sign-in/link");
  await page.getByText(/This service sends no mail yet: ask your referral service/).waitFor();
  await page.getByRole("button", { name: "Make a link" }).waitFor();
});

test("with a mail server they say who is mailed", async () => {
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
  await seen.page.getByRole("dialog").getByText("Both are mailed.").waitFor();
  expect(await seen.page.getByText(kept).count()).toBe(0);
  await seen.close(); // before its server goes
  await sending.close();
});

test("no screen promises mail without asking whether it is sent", () => {
  const root = join(import.meta.dirname, "../../src");
  // Refused without mail; reached by a link in a mail; how to set mail up; that nobody is mailed.
  const exempt = /(InviteChosenDialog|EmailChangeScreen|FirstSteps|CloseDialog)\.tsx$/;
  const comments = /\/\*[\s\S]*?\*\/|(^|\s)\/\/ .*$/gm;
  const promising = globSync("**/*.tsx", { cwd: root }).filter((file) => {
    const text = readFileSync(join(root, file), "utf8").replaceAll(comments, "");
    return /\be?mailed (?!words)|\be?mailed\.|by e?mail\b|\bgets (?:one|an?) e?mail/i.test(text);
  });
  expect(promising.length).toBeGreaterThan(10);
  expect(
    promising.filter((file) => {
      const asks = readFileSync(join(root, file), "utf8").includes("mail-delivery.tsx");
      return !asks && !exempt.test(file);
    }),
  ).toEqual([]);
});
