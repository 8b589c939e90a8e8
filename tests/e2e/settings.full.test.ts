import { expect } from "vitest";
import { changeMoneySettings, showMoneySettings } from "#dues/ledger/contract.ts";
import { makeAdmin, makeNetwork } from "#tests/support/records/networks.ts";
import {
  changeStatementSettings,
  showStatementSettings,
} from "#dues/ledger/statements/contract.ts";
import { addWebhookEndpoint } from "#outgoing/webhooks/contract.ts";
import { givePassword } from "#tests/support/passwords.ts";
import { openStage } from "#tests/support/built-app-and-browser.ts";
import { signedIn } from "#tests/support/visitor.ts";
import { aWatchedPage } from "#tests/support/watched-page.ts";
import { admin, app, network } from "#tests/support/app-test.ts";
import { expectNoBarriers, page, watched } from "#tests/support/page-test.ts";
import {
  anAttorneyLate,
  enable,
  gracePeriod,
  openSettings,
  save,
  setRules,
  settingsTest,
} from "#tests/support/screens/settings.ts";

/*
 * Further cases of the settings; src/referrals/suspension tests the suspension rules, src/access/sign-in who
 * may be removed.
 */

const test = settingsTest();

test("an invalid grace period is refused at the field before anything is confirmed", async () => {
  await setRules({ enabled: true });
  await openSettings();
  const bounds = "a whole number of overdue periods from 0 to 120.";
  for (const typed of ["1.5", "121", "-1", "two", ""]) {
    await gracePeriod().fill(typed);
    await save().click();
    const isNumber = Number.isFinite(Number(typed || "none"));
    const words = isNumber ? "Grace period must be " : "Enter a grace period: ";
    await page.getByRole("link", { name: words + bounds }).waitFor();
  }
  await expect.poll(() => page.getByRole("dialog").count()).toBe(0);
  expect(watched.alerts).toEqual([]);
  await expectNoBarriers();
});

test("switching suspensions off lifts them, after saying how many", async () => {
  await anAttorneyLate("Ada", "2026-01-01");
  await setRules({ enabled: true });
  await openSettings();
  await enable().click();
  await page.getByText("Now, the suspension of 1 lawyer will be lifted.").waitFor();
  await page.getByRole("button", { name: "Switch suspensions off" }).click();
  await page.getByText("Overdue suspensions are off.").waitFor();
  await expect.poll(() => gracePeriod().count()).toBe(0);
});

test("the last administrator who can sign in stays", async () => {
  await givePassword(app.db, network.admin.userId);
  await makeAdmin(app.db, network);
  await page.goto("/admin/settings/people");
  await page.getByRole("button", { name: "Remove Ada Min" }).click();
  const removing = page.getByRole("dialog", { name: "Remove yourself" });
  await removing.getByRole("button", { name: "Remove yourself" }).click();
  await expect
    .poll(() => watched.alerts.at(-1))
    .toBe("You cannot remove the last administrator who can sign in. Invite another one first.");
  await removing.getByRole("button", { name: "Cancel" }).click();
  await page.getByRole("row", { name: "Ada Min (you)" }).waitFor();
});

test("with a mail server, staff see that email is being sent", async () => {
  const sending = await openStage({ sendsMail: true });
  const itsNetwork = await makeNetwork(sending.app.db);
  const seen = await aWatchedPage(sending.browser, {
    address: sending.address,
    visitor: await signedIn(sending.app, "admin", itsNetwork),
  });
  await seen.page.goto("/admin/settings/mail");
  await seen.page.getByText("Email is being sent.").waitFor();
  await expect.poll(() => seen.page.getByText("Email is not being sent").count()).toBe(0);
  await seen.close();
  await sending.close();
});

test("a setting that a colleague changed at the same time stays, and is shown once another one is saved", async () => {
  await page.goto("/admin/settings/network");
  const form = page.getByRole("form", { name: "Credit and fees" });
  const fee = form.getByLabel("Usual fee for a returned check, in dollars");
  const applies = form.getByLabel("Apply credit to new debits automatically");
  await fee.waitFor();
  await admin.call(changeMoneySettings, { body: { returned_check_fee: "35.00" } });
  for (const isApplied of [false, true, true]) {
    await applies.setChecked(isApplied);
    await form.getByRole("button", { name: "Update credit and fees" }).click();
    const applied = isApplied ? "" : "not ";
    const saved = `Saved. New debits are ${applied}paid from credit automatically. Fee for a returned check: $35.00, for a chargeback: none.`;
    await form.getByText(saved).waitFor();
    await expect.poll(() => fee.inputValue()).toBe("35.00");
  }
  const { returnedCheckFee } = await admin.call(showMoneySettings);
  expect(returnedCheckFee).toBe(35_00);
});

test("a statement day that a colleague chose at the same time stays, and is shown", async () => {
  await page.goto("/admin/settings/mail");
  const day = page.getByLabel("Email statements on");
  await day.waitFor();
  await admin.call(changeStatementSettings, { body: { mailed_on_day: 5 } });
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText(/^Saved\. The next statements will be saved here on/).waitFor();
  await expect.poll(() => day.inputValue()).toBe("5");
  expect((await admin.call(showStatementSettings)).mailedOnDay).toBe(5);
});

test("replacing a webhook's secret twice asks first, since the one that receivers have would end", async () => {
  const body = { url: "https://example.org/hook", event_types: ["debit.created"] };
  const webhook = await admin.call(addWebhookEndpoint, { body });
  await page.goto("/admin/settings/integrations");
  const renew = async () => {
    await page.getByRole("button", { name: "Change example.org/hook" }).click();
    await page.getByRole("button", { name: "Make a new secret" }).click();
    await page.getByRole("dialog", { name: "The new secret" }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
  };
  await renew();
  expect(watched.alerts).toEqual([]);
  await renew();
  expect(watched.alerts).toEqual([
    expect.stringContaining(
      "The one before it stops working now, even if the receiver still uses it",
    ),
  ]);
  expect(webhook.oldSecretExpiresAt).toBeNull();
});

test("staff see how email is set up and where keys are", async () => {
  await openSettings();
  await page.getByLabel("Card processor").selectOption("Stripe");
  await page.getByText("Where to find the keys in Stripe").click();
  await page.getByText("Under Developers, API keys, copy the publishable key").waitFor();
  const isTechnical = /npm|SMTP|PUBLIC_URL|APP_SECRET|DATA_DIR|environment|command|folder/;
  expect(await page.locator("main").innerText()).not.toMatch(isTechnical);
  await expectNoBarriers();
  await page.goto("/admin/settings/mail");
  await page.getByText("Ask your system administrator to set up email.").waitFor();
  expect(await page.locator("main").innerText()).not.toMatch(isTechnical);
  expect(watched.alerts).toEqual([]);
});
