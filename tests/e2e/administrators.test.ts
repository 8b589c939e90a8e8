import { sql } from "kysely";
import { expect } from "vitest";
import { listApiTokens, makeApiToken } from "#access/tokens/contract.ts";
import { listSessions } from "#access/sign-in/contract.ts";
import { makeAdmin } from "#tests/support/records/networks.ts";
import { addWebhookEndpoint, listWebhookEndpoints } from "#outgoing/webhooks/contract.ts";
import { admin, app, attorney, lawyer, network } from "#tests/support/app-test.ts";
import { expectNoBarriers, page, pageTest, watched } from "#tests/support/page-test.ts";
import { givePassword, testPassword } from "#tests/support/passwords.ts";
import { signedIn, type Visitor } from "#tests/support/visitor.ts";

/* An administrator handles a colleague or attorney who leaves or loses a device. */

const test = pageTest({ network: {}, attorney: { firstName: "Maya" }, lawyer: true, by: "admin" });

/** Nadia, a colleague who can sign in. */
async function aColleague(): Promise<Visitor & { userId: number }> {
  await givePassword(app.db, network.admin.userId);
  const userId = await makeAdmin(app.db, network);
  await app.db.updateTable("users").set({ name: "Nadia Cole" }).where("id", "=", userId).execute();
  await givePassword(app.db, userId);
  const visitor = await signedIn(app, "admin", { ...network, admin: { ...network.admin, userId } });
  return Object.assign(visitor, { userId });
}

test("removing an administrator lists their tokens, which are revoked unless unticked", async () => {
  const nadia = await aColleague();
  for (const name of ["Accounting", "Member list"])
    await nadia.call(makeApiToken, { body: { name, scope: "write", expires_on: "2090-12-31" } });
  await admin.call(makeApiToken, { body: { name: "Website", scope: "read" } });
  const body = { url: "https://example.org/hooks", event_types: ["debit.created" as const] };
  await admin.call(addWebhookEndpoint, { body });

  await page.goto("/admin/settings/people");
  await page.getByRole("button", { name: "Remove Nadia Cole" }).click();
  const dialog = page.getByRole("dialog", { name: "Remove Nadia Cole" });
  const boxes = dialog.getByRole("group", { name: "Revoke the API tokens that Nadia Cole made" });
  await boxes.getByText("never used, works through 12/31/2090").first().waitFor();
  expect(await boxes.getByRole("checkbox", { checked: true }).count()).toBe(2);
  await dialog.getByText("They may also know the webhook secrets").waitFor();
  await expectNoBarriers();
  await boxes.getByRole("checkbox", { name: "Member list" }).focus();
  await page.keyboard.press("Space");
  await dialog.getByRole("button", { name: "Remove administrator" }).click();
  await page.getByText("Nadia Cole was removed.").waitFor();
  await expect.poll(() => page.getByRole("row", { name: /Nadia Cole/ }).count()).toBe(0);
  const { items } = await admin.call(listApiTokens);
  expect(new Map(items.map(({ name, status }) => [name, status]))).toEqual(
    new Map([
      ["Accounting", "revoked"],
      ["Member list", "active"],
      ["Website", "active"],
    ]),
  );

  await page.goto("/admin/settings/integrations");
  await page
    .getByRole("row", { name: /^Member list/ })
    .getByText("(has left)")
    .waitFor();
  await expectNoBarriers();
  expect(watched.alerts).toEqual([]);
});

test("the same dialog removes an administrator without tokens; the last administrator cannot be removed, and the dialog says why", async () => {
  await aColleague();
  await page.goto("/admin/settings/people");
  await page.getByRole("button", { name: "Remove Nadia Cole" }).click();
  const dialog = page.getByRole("dialog", { name: "Remove Nadia Cole" });
  await dialog.getByText("They will be signed out immediately.").waitFor();
  expect(await dialog.getByRole("group").count()).toBe(0);
  await dialog.getByRole("button", { name: "Remove administrator" }).click();
  await page.getByText("Nadia Cole was removed.").waitFor();
  await page.getByRole("button", { name: "Remove Ada Min" }).click();
  const own = page.getByRole("dialog", { name: "Remove yourself" });
  await own.getByRole("button", { name: "Remove yourself" }).click();
  await own.getByText("You cannot remove the last administrator who can sign in").waitFor();
});

test("an administrator and an attorney are signed out everywhere", async () => {
  const nadia = await aColleague();
  await page.goto("/admin/settings/people");
  expect(await page.getByRole("button", { name: "Sign Ada Min out everywhere" }).count()).toBe(0);
  await page.getByRole("button", { name: "Sign Nadia Cole out everywhere" }).click();
  await page
    .getByText(
      "Nadia Cole was signed out everywhere (1 session). Email is not set up: messages are saved, not sent.",
    )
    .waitFor();
  await expectNoBarriers();
  expect((await nadia.ask(listSessions)).status).toBe(401);

  const account = app.db.selectFrom("users").select("id").where("attorneyId", "=", attorney.id);
  await givePassword(app.db, (await account.executeTakeFirstOrThrow()).id);
  await page.goto(`/admin/attorneys/${attorney.id}?view=details`);
  await page.getByRole("button", { name: /^Sign Maya .* out everywhere$/ }).click();
  await page
    .getByText(
      /was signed out everywhere \(1 session\)\. Email is not set up: messages are saved, not sent\./,
    )
    .waitFor();
  await expectNoBarriers();
  expect((await lawyer.ask(listSessions)).status).toBe(401);
  expect(watched.alerts).toEqual([
    expect.stringContaining("Sign Nadia Cole out everywhere?"),
    expect.stringContaining("out everywhere? Every device will be signed out immediately"),
  ]);
});

test("ten minutes after signing in, adding a webhook asks for the password and keeps what was typed", async () => {
  await givePassword(app.db, network.admin.userId);
  await page.goto("/admin/settings/integrations");
  await sql`update sessions set confirmed_at = now() - interval '11 minutes'`.execute(app.db);
  await page.getByRole("button", { name: "Add a webhook" }).click();
  const adding = page.getByRole("dialog", { name: "Add a webhook" });
  await adding.getByLabel("Address").fill("https://example.org/hooks");
  await adding.getByRole("button", { name: "Add webhook" }).click();
  const confirming = page.getByRole("dialog", { name: "Confirm that this is you" });
  await confirming.getByLabel("Password").fill(testPassword);
  await expectNoBarriers();
  await confirming.getByRole("button", { name: "Confirm" }).click();
  const added = page.getByRole("dialog", { name: "Webhook added" });
  await expect.poll(() => added.getByLabel("Secret").inputValue()).toMatch(/^whsec_/);
  expect(await admin.call(listWebhookEndpoints)).toMatchObject([
    { url: "https://example.org/hooks" },
  ]);
});
