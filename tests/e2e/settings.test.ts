import type { LookupFunction } from "node:net";
import { expect } from "vitest";
import { sendDueMail } from "#outgoing/mail/outbox.ts";
import { publicAddressesOnly } from "#outgoing/webhooks/public-address.ts";
import { sendDueWebhooks } from "#outgoing/webhooks/send-webhooks.ts";
import { givePassword } from "#tests/support/passwords.ts";
import { overflowOnPhone } from "#tests/support/watched-page.ts";
import { app, network } from "#tests/support/app-test.ts";
import { expectNoBarriers, page, watched } from "#tests/support/page-test.ts";
import {
  aMail,
  anAttorneyLate,
  enable,
  gracePeriod,
  openSettings,
  save,
  setRules,
  settingsTest,
} from "#tests/support/screens/settings.ts";

const test = settingsTest();

test("switching suspensions on says first who will be suspended, and does it when confirmed", async () => {
  await anAttorneyLate("Ada", "2026-09-30"); // 61 days ago
  await anAttorneyLate("Grace", "2026-10-01"); // 60 days ago
  await openSettings();
  await page
    .getByRole("heading", { name: "Automatically suspend lawyers with overdue reports" })
    .waitFor();
  await expect.poll(() => enable().isChecked()).toBe(false);
  await expect.poll(() => gracePeriod().count()).toBe(0);
  await enable().click();
  const confirming = page.getByRole("dialog", { name: "Enable overdue suspensions" });
  await confirming.getByText("1 lawyer will be suspended now.").waitFor();
  await expect.poll(() => confirming.getByRole("listitem").allInnerTexts()).toEqual(["Ada Late"]);
  await expectNoBarriers();
  await confirming.getByRole("button", { name: "Cancel" }).click();
  await expect.poll(() => enable().isChecked()).toBe(false);

  await enable().click();
  await confirming.getByRole("button", { name: "Enable suspensions" }).click();
  await page.getByText("Overdue suspensions are on.").waitFor();
  await expect.poll(() => enable().isChecked()).toBe(true);
  await page
    .getByText(
      "Lawyers are suspended when a report is more than 60 days late: 2 periods of 30 days.",
    )
    .waitFor();
  await page.goto("/admin/attorneys?status=suspended");
  await page.getByRole("link", { name: "Ada Late" }).waitFor();
  await page.getByText("1–1 of 1").waitFor();
});

test("the grace period can be saved only when it was changed, and its effect is shown first", async () => {
  await anAttorneyLate("Ada", "2026-09-30");
  await anAttorneyLate("Grace", "2026-10-01");
  await setRules({ enabled: true });
  await openSettings();
  await expect.poll(() => gracePeriod().inputValue()).toBe("2");
  await expect.poll(() => save().isDisabled()).toBe(true);
  await gracePeriod().fill(" 2.0");
  await expect.poll(() => save().isDisabled()).toBe(true);
  await gracePeriod().fill("1");
  await page
    .getByText(
      "Lawyers would be suspended when a report is more than 30 days late: 1 period of 30 days.",
    )
    .waitFor();
  await save().click();
  const confirming = page.getByRole("dialog", { name: "Change the grace period to 1" });
  await confirming.getByText("1 lawyer will be suspended now.").waitFor();
  await expect.poll(() => confirming.getByRole("listitem").allInnerTexts()).toEqual(["Grace Late"]);
  await confirming.getByRole("button", { name: "Change the grace period" }).click();
  await page.getByText("The grace period is now 1.").waitFor();
  await expect.poll(() => save().isDisabled()).toBe(true);

  const none = "a report is late by a day or more: 0 periods of 30 days.";
  await gracePeriod().fill("0");
  await page.getByText(`Lawyers would be suspended when ${none}`).waitFor();
  await save().click();
  await page
    .getByRole("dialog", { name: "Change the grace period to 0" })
    .getByRole("button", { name: "Change the grace period" })
    .click();
  await page.getByText(`Lawyers are suspended when ${none}`).waitFor();
  await page.getByText("The grace period is now 0.").waitFor(); // the dialog is closed

  await gracePeriod().fill("120");
  await gracePeriod().press("Enter");
  await page.getByText("Now, the suspension of 2 lawyers will be lifted.").waitFor();
  await page.keyboard.press("Escape");
  await expect.poll(() => gracePeriod().inputValue()).toBe("120");
});

test("an administrator is invited by a link that is emailed and shown, and removed again", async () => {
  await givePassword(app.db, network.admin.userId);
  await page.goto("/admin/settings/people");
  await page.getByRole("button", { name: "Invite an administrator" }).click();
  const inviting = page.getByRole("dialog", { name: "Invite an administrator" });
  await inviting.getByText("Email is not set up: messages are saved, not sent.").waitFor();
  await inviting.getByRole("button", { name: "Invite administrator" }).click();
  await inviting.getByRole("link", { name: "Enter a name." }).click();
  await page.keyboard.type("Colette Ague");
  await inviting.getByLabel("Email address").fill(`colette-${network.id}@example.test`);
  await page.keyboard.press("Enter");
  await expect
    .poll(() => inviting.getByLabel("Sign-in link").inputValue())
    .toMatch(/\/sign-in\/link#/);
  await expectNoBarriers();
  await page.keyboard.press("Escape");
  const row = page
    .getByRole("table", { name: "Administrators" })
    .getByRole("row", { name: "Colette" });
  await row.getByText("Invited").waitFor();
  await page
    .getByRole("navigation", { name: "Settings" })
    .getByRole("link", { name: "Email" })
    .click();
  await page.getByRole("link", { name: "All email" }).click();
  await page.getByRole("button", { name: /^Your access to .*, to colette-/ }).waitFor();
  await page.goto("/admin/settings/people");
  await row.getByRole("button", { name: "Remove Colette Ague" }).click();
  const removing = page.getByRole("dialog", { name: "Remove Colette Ague" });
  await removing
    .getByText("They will be signed out immediately. Their changes stay in the activity.")
    .waitFor();
  await removing.getByRole("button", { name: "Remove administrator" }).click();
  await page.getByText("Colette Ague was removed.").waitFor();
  await row.waitFor({ state: "hidden" });
});

test("the email page shows what was written, what is waiting, and what failed", async () => {
  await page.goto("/admin/mail");
  await page.getByText("No email yet").waitFor();
  await aMail("First");
  await sendDueMail(app.db, async () => undefined);
  await aMail("Second");
  await sendDueMail(app.db, () => Promise.reject(new Error("The server hung up.")));
  await page.reload();
  await page.getByText("Email is not being sent").waitFor();
  const mails = page.getByRole("table", { name: "Email" });
  await mails.getByRole("row", { name: /First.*Saved, not sent/ }).waitFor();
  await mails
    .getByRole("row", { name: /Second.*Waiting\s*Tried once: The server hung up\./ })
    .waitFor();
  await page.getByRole("button", { name: "First, to someone@example.test" }).click();
  await page.getByRole("dialog", { name: "First" }).getByText("Dear someone,").waitFor();
  await expectNoBarriers();
  await page.keyboard.press("Escape");
  await page.getByLabel("Status").selectOption("Waiting");
  await expect.poll(() => mails.getByRole("row").count()).toBe(2);
  await page.getByLabel("Status").selectOption("Not delivered");
  await page.getByText("No emails match these filters").waitFor();
  expect(watched.alerts).toEqual([]);
});

test("a webhook is added after a correction, its secret shown once and its deliveries sent again; a token is made, shown once, copied and revoked", async () => {
  await page.goto("/admin/settings/integrations");
  await page.getByText("No webhooks yet").waitFor();
  await page.getByRole("button", { name: "Add a webhook" }).click();
  const adding = page.getByRole("dialog");
  await adding.getByLabel("Address").fill("https://10.0.0.1/hooks");
  await adding.getByLabel("Status report filed").uncheck();
  await adding.getByRole("button", { name: "Add webhook" }).click();
  await adding.getByRole("link", { name: "Address must be a public internet address" }).waitFor();
  await expectNoBarriers();
  await adding.getByLabel("Address").fill("https://example.org/hooks");
  await adding.getByRole("button", { name: "Add webhook" }).click();
  await expect.poll(() => adding.getByLabel("Secret").inputValue()).toMatch(/^whsec_.{44}$/);
  await adding.getByRole("button", { name: "Close" }).click();
  await page.getByText("11 events").waitFor();
  await page.getByRole("button", { name: "Send a test to example.org/hooks" }).click();
  await page.getByRole("row", { name: /^Test/ }).getByText("Waiting").waitFor();
  const resolve: LookupFunction = (_name, _options, answer) =>
    answer(null, [{ address: "10.0.0.1", family: 4 }]);
  await sendDueWebhooks({ ...app, reach: { ...publicAddressesOnly, resolve } });
  await page.getByText("The address is not public").waitFor();
  await page.getByText("Failing").waitFor();
  await expectNoBarriers();
  await page.getByRole("button", { name: /^Send again: Test/ }).click();
  await page.getByRole("button", { name: "Change example.org/hooks" }).click();
  await page.getByRole("button", { name: "Remove webhook" }).click();
  await page.getByText("example.org/hooks was removed.").waitFor();
  await page.getByText("No webhooks yet").waitFor();

  await page.getByText("No tokens yet").waitFor();
  await page.getByRole("button", { name: "Make a token" }).click();
  const making = page.getByRole("dialog", { name: "Make a token" });
  await making.getByRole("button", { name: "Make token" }).click();
  await making.getByRole("link", { name: "Enter a name." }).click();
  await page.keyboard.type("Accounting");
  await making.getByLabel("Read and write").check();
  await page.keyboard.press("Enter");
  const made = page.getByRole("dialog", { name: "Token Accounting" });
  const token = made.getByRole("textbox", { name: "Token" });
  await expect.poll(() => token.inputValue()).toMatch(/^rn_\w{49}$/);
  const shown = await token.inputValue();
  await expect.poll(() => token.evaluate((input) => input === document.activeElement)).toBe(true);
  await expectNoBarriers();
  await made.getByRole("button", { name: "Copy token" }).click();
  await made.getByText(/^Copied\.$|^The token is selected/).waitFor();
  await page.keyboard.press("Escape");
  const row = page.getByRole("table", { name: "API tokens" }).getByRole("row", {
    name: `Accounting (ends in ${shown.slice(-4)}) Read and write`,
  });
  await row.getByText("Active").waitFor();
  expect(await page.content()).not.toContain(shown);
  await expectNoBarriers();
  expect(await overflowOnPhone(page)).toBe(0);
  await row.getByRole("button", { name: "Revoke Accounting" }).click();
  await page.getByText("Accounting was revoked.").waitFor();
  await row.getByText("Revoked").waitFor();
  expect(watched.alerts.at(-1)).toMatch(/^Revoke Accounting\?/);
});
