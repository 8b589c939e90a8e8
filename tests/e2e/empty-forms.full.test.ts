import type { Locator, Page } from "playwright-core";
import { Temporal } from "temporal-polyfill";
import { describe, expect } from "vitest";
import { makeDemo } from "#main/demo.ts";
import { demoPassword } from "#access/sign-in/demo-passwords.ts";
import { listAttorneys } from "#panel/contract.ts";
import { listMatters } from "#referrals/matters/matters.list.ts";
import { aVisitor, type Visitor } from "#tests/support/visitor.ts";
import { app } from "#tests/support/app-test.ts";
import { expectNoBarriers, openPage, page, pageTest } from "#tests/support/page-test.ts";

/*
 * The messages of each form when it is sent empty. Refunds and a processor's keys need a processor:
 * card-outcomes.test.ts, card-settings.test.ts.
 */

const clock = "2026-11-30T17:00:00Z";

let admin: Visitor;
let lawyer: Visitor;

/** Pages of records in the demo. */
const records = { attorney: "", newReferral: "", openReferral: "" };

const test = pageTest({ clock });
test.beforeAll(async () => {
  await makeDemo(app.pool, () => Temporal.Instant.from(clock));
  admin = await signedInAs("admin@demo.test");
  lawyer = await signedInAs("attorney@demo.test");
  const panel = await admin.call(listAttorneys, { query: { search: "attorney@demo.test" } });
  const fresh = await admin.call(listMatters, { query: { status: "new" } });
  const open = await admin.call(listMatters, { query: { status: "open" } });
  records.attorney = `/admin/attorneys/${panel.items[0]?.id}`;
  records.newReferral = `/admin/matters/${fresh.items[0]?.id}`;
  records.openReferral = `/admin/matters/${open.items[0]?.id}`;
});

async function signedInAs(email: string): Promise<Visitor> {
  const visitor = aVisitor(app);
  await visitor.send("POST", "/api/auth/sign-in/email", { email, password: demoPassword });
  return visitor;
}

async function open(visitor: Visitor, path: string): Promise<void> {
  await openPage({ visitor, clock });
  await page.goto(path);
}

const press = (name: string | RegExp, within: Page | Locator = page) =>
  within.getByRole("button", { name }).first().click();

/** Empty the fields of a form. */
async function clear(form: Locator): Promise<void> {
  await form.locator("[type=submit]").waitFor();
  const typed =
    "input:not([type=hidden], [type=radio], [type=checkbox], [readonly], [role=combobox]), textarea";
  for (const field of await form.locator(typed).all()) await field.fill("");
}

/** Send an empty form and check its accessibility. Returns the messages of the summary at its top. */
async function sentEmpty(form: Locator): Promise<string[]> {
  await clear(form);
  await form.locator("[type=submit]").click();
  const summary = form.getByRole("alert");
  await summary.waitFor();
  await expectNoBarriers();
  return await summary.getByRole("listitem").allInnerTexts();
}

const form = (name: string) => page.getByRole("form", { name });
const inDialog = () => page.getByRole("dialog").locator("form");

describe("an administrator who sends an empty form is told what is missing:", () => {
  test("adding an attorney", async () => {
    await open(admin, "/admin/attorneys");
    await press("Add an attorney");
    expect(await sentEmpty(inDialog())).toEqual([
      "Enter a first name.",
      "Enter a last name.",
      "Enter an email address.",
    ]);
  });

  test("editing an attorney's contact details", async () => {
    await open(admin, `${records.attorney}?view=details`);
    await press("Edit");
    expect(await sentEmpty(inDialog())).toEqual([
      "Enter a first name.",
      "Enter a last name.",
      "Enter an email address.",
    ]);
  });

  test("adding a subscription", async () => {
    await open(admin, records.attorney);
    const select = page.getByRole("combobox", { name: "Subscription" });
    await select.press("ArrowDown");
    await page.getByRole("option").first().waitFor();
    await select.press("Enter");
    expect(await sentEmpty(form("Add a subscription"))).toEqual([
      "Enter a start date, such as 01/31/2027.",
    ]);
  });

  test("adding a check", async () => {
    await open(admin, records.attorney);
    await press(/^Add check/);
    expect(await sentEmpty(form("Pay by check"))).toEqual([
      "Enter a check number.",
      "Enter the amount in dollars, such as 125.50.",
    ]);
  });

  test("confirming checks", async () => {
    await open(admin, records.attorney);
    await press(/^Confirm check/);
    expect(await sentEmpty(form("Confirm Check"))).toEqual([
      "Choose Approve or Deny for at least one check.",
    ]);
  });

  test("adjusting a balance", async () => {
    await open(admin, records.attorney);
    await press(/^Adjust/);
    expect(await sentEmpty(form("Adjust balance"))).toEqual([
      "Enter the amount in dollars, such as 125.50.",
    ]);
  });

  test("charging attorneys", async () => {
    await open(admin, "/admin/attorneys");
    await press("Charge attorneys");
    expect(await sentEmpty(form("Charge"))).toEqual(["Enter a due date, such as 01/31/2027."]);
    await form("Charge").getByLabel("Due date").fill("01/31/2027");
    await form("Charge").locator("[type=submit]").click();
    await form("Charge").getByRole("link", { name: "Enter a name of the charge." }).waitFor();
    expect(await form("Charge").getByRole("alert").getByRole("listitem").allInnerTexts()).toEqual([
      "Enter a name of the charge.",
      "Enter the amount in dollars, such as 125.50.",
    ]);
  });

  test("applying credit, and refunding it", async () => {
    await open(admin, records.attorney);
    await press("Apply to a debit");
    expect(await sentEmpty(form("Apply credit"))).toEqual([
      "Enter the amount in dollars, such as 125.50.",
    ]);
    await page.keyboard.press("Escape");
    await press("Discard");
    await press("Refund credit");
    expect(await sentEmpty(form("Refund credit"))).toEqual([
      "Enter the amount in dollars, such as 125.50.",
      "Enter a note that says how you refunded it, such as Our check 512.",
    ]);
  });

  test("the names of the journal's accounts", async () => {
    await open(admin, "/admin/settings/network");
    await page.getByText("Account names", { exact: true }).click();
    const said = await sentEmpty(form("Account names"));
    expect(said).toHaveLength(9);
    expect(said.slice(0, 2)).toEqual([
      "Enter a name for “What attorneys owe”.",
      "Enter a name for “Income from dues”.",
    ]);
  });

  test("the fees for returned checks and chargebacks", async () => {
    await open(admin, "/admin/settings/network");
    const fee = page.getByLabel("Usual fee for a returned check, in dollars");
    await fee.fill("");
    await page.getByLabel("Fee for a chargeback, in dollars").fill("");
    const whole = form("Credit and fees");
    expect(await sentEmpty(whole)).toEqual([
      "Enter a usual fee for a returned check, in dollars, such as 25.00, or 0 for none.",
      "Enter a fee for a chargeback, in dollars, such as 25.00, or 0 for none.",
    ]);
    await fee.fill("free");
    await whole.getByRole("button", { name: "Update credit and fees" }).click();
    await page
      .getByRole("alert")
      .getByText("must be an amount in dollars up to 1,000,000.00 with at most two decimals")
      .waitFor();
  });

  test("the network's name and address", async () => {
    await open(admin, "/admin/settings/network");
    await page.getByLabel("Name of the network").fill("");
    const said = await sentEmpty(form("Name and address"));
    expect(said).toEqual(["Enter a name of the network."]);
  });

  test("creating a plan", async () => {
    await open(admin, "/admin/subscriptions");
    expect(await sentEmpty(form("Create a Subscription"))).toEqual([
      "Enter a name.",
      "Enter the amount owed in dollars, such as 125.50.",
      "Enter a whole number of months from 1 to 120.",
    ]);
  });

  test("subscribing all lawyers", async () => {
    await open(admin, "/admin/subscriptions");
    await press(/^Subscribe all lawyers/);
    expect(await sentEmpty(inDialog())).toEqual(["Enter a start date, such as 01/31/2027."]);
  });

  test("recording a referral", async () => {
    await open(admin, "/admin/matters/new");
    expect(await sentEmpty(page.locator("main form"))).toEqual([
      "Enter a first name.",
      "Enter a last name.",
    ]);
  });

  test("referring to an attorney", async () => {
    await open(admin, records.newReferral);
    expect(await sentEmpty(form("Refer to an attorney"))).toEqual(["Choose an attorney."]);
  });

  test("editing a client's contact details", async () => {
    await open(admin, records.openReferral);
    await press("Edit");
    expect(await sentEmpty(form("Contact details"))).toEqual([
      "Enter a first name.",
      "Enter a last name.",
    ]);
  });

  test("creating a report", async () => {
    await open(admin, "/admin/reports");
    const type = page.getByRole("combobox").first();
    await type.fill("Referrals");
    await page.getByRole("option", { name: "Referrals" }).waitFor();
    await type.press("Enter");
    await press("Create report");
    const dialog = inDialog();
    expect(await sentEmpty(dialog)).toEqual(["Enter a start date."]);
    await press("Uncheck all", dialog);
    await dialog.locator("[type=submit]").click();
    await dialog.getByText("Choose at least one column").first().waitFor();
  });

  test("inviting an administrator", async () => {
    await open(admin, "/admin/settings/people");
    await press("Invite an administrator");
    expect(await sentEmpty(inDialog())).toEqual(["Enter a name.", "Enter an email address."]);
  });

  test("changing the password", async () => {
    await open(admin, "/account/security");
    expect(await sentEmpty(page.locator("main form").first())).toEqual([
      "Enter your current password.",
      "Enter a new password.",
    ]);
  });
});

describe("and so is", () => {
  test("a lawyer who pays by check", async () => {
    await open(lawyer, "/dashboard");
    await page.getByRole("textbox").first().fill("1");
    await page.getByRole("button", { name: "Pay", exact: true }).click();
    await page.getByLabel("Pay by check").check();
    expect(await sentEmpty(inDialog())).toEqual(["Enter a check number."]);
  });

  test("a lawyer who files a report", async () => {
    await open(lawyer, "/dashboard/referrals");
    await press(/^File report/);
    expect(await sentEmpty(inDialog())).toEqual(["Choose what happened with this referral."]);
  });

  test("someone signing in", async () => {
    await open(aVisitor(app), "/sign-in");
    expect(await sentEmpty(page.locator("form"))).toEqual([
      "Enter your email address.",
      "Enter your password.",
    ]);
  });

  test("someone who forgot a password", async () => {
    await open(aVisitor(app), "/sign-in/link");
    expect(await sentEmpty(page.locator("form"))).toEqual(["Enter an email address."]);
  });
});
