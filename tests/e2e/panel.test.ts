import { expect } from "vitest";
import { makeAttorney, makePanel } from "#tests/support/records/attorneys.ts";
import { makePlan } from "#main/demo/records/dues.ts";
import { makeDebit, makeEnrolments } from "#tests/support/records/dues.ts";
import { mailsOf } from "#tests/support/mails.ts";
import { barriersOf } from "#tests/support/watched-page.ts";
import { app, network } from "#tests/support/app-test.ts";
import { page, pageTest } from "#tests/support/page-test.ts";

const test = pageTest({ network: {}, by: "admin" });

test("attorneys owing for over 90 days are found in 2 clicks, and all matches are subscribed to a plan and unsubscribed", async () => {
  const dues = await makePlan(app.db, network, { amountCents: 5000 });
  const panel = await makePanel(app.db, network, 60);
  await makeEnrolments(app.db, panel.slice(0, 3), dues, {});
  for (const id of panel.slice(0, 55)) await makeDebit(app.db, network, { id });
  const late = await makeAttorney(app.db, network, { lastName: "Zimmer" });
  await makeDebit(app.db, network, late, { amountCents: 99_900 });
  await page.goto("/admin/attorneys");
  await page.getByText("1–50 of 61").waitFor();

  // One click opens the field, the other chooses.
  await page.getByLabel("Owes").selectOption("For over 90 days");
  await page.getByText("1–50 of 56").waitFor();
  await page.getByRole("cell", { name: "$3,749.00" }).first().waitFor();
  expect(new URL(page.url()).search).toBe("?owes=90");
  await page.getByRole("button", { name: "Balance" }).click();
  await expect.poll(() => page.getByRole("row").nth(1).innerText()).toContain("Zimmer");

  await page.getByRole("checkbox", { name: "Choose all on this page: Attorneys" }).click();
  await page.getByRole("button", { name: "Choose all 56 that match" }).click();
  await page.getByText("56 chosen: all that match these filters").waitFor();
  await page.getByRole("button", { name: /^Subscribe \d+ attorneys?$/ }).click();
  const dialog = page.getByRole("dialog", { name: "Subscribe attorneys" });
  await dialog.getByLabel("Subscription").selectOption({ value: String(dues.id) });
  await dialog.getByText("Left out: 3 who are already subscribed.").waitFor(); // the dialog grows by it
  await dialog.getByLabel("Bill immediately").check();
  await dialog.getByText("Subscribe 53 attorneys to Panel dues and bill $2,650.00 today").waitFor();
  expect(await barriersOf(page)).toEqual([]);
  await dialog.getByRole("button", { name: "Subscribe 53 attorneys" }).click();
  await page
    .getByText("Panel dues: 53 attorneys subscribed. 53 debits of $50.00 were created.")
    .waitFor();

  await page.getByRole("button", { name: "Undo subscribing several to Panel dues" }).click();
  const undoing = page.getByRole("dialog");
  await undoing.getByText("End 53 enrolments and reverse $2,650.00 of debits.").waitFor();
  await undoing.getByRole("button", { name: "Undo subscribing several" }).click();
  await page
    .getByText("Subscribing several to Panel dues was undone: 53 enrolments ended")
    .waitFor();

  await page.getByRole("checkbox", { name: /^Choose .* Zimmer$/ }).click();
  await page.getByRole("button", { name: "Remind", exact: true }).click();
  await page.getByText("Remind 1 attorney of $999.00 overdue.").waitFor();
  await page.getByRole("button", { name: "Remind 1 attorney" }).click();
  await page.getByText("Reminders of $999.00 to 1 attorney are saved, not sent.").waitFor();
  const mails = await mailsOf(app.db, network);
  expect(mails.map(({ recipient }) => recipient)).toEqual([late.email]);

  await page.getByRole("checkbox", { name: /^Choose .* Zimmer$/ }).click();
  await page.getByRole("button", { name: "Remind", exact: true }).click();
  await page
    .getByText("No attorneys will be emailed. Left out: 1 who was reminded today.")
    .waitFor();
  expect(await barriersOf(page)).toEqual([]);
});
