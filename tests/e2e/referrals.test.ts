import { expect } from "vitest";
import { makeAttorney } from "#tests/support/records/attorneys.ts";
import { makePlan } from "#main/demo/records/dues.ts";
import { makeEnrolment } from "#tests/support/records/dues.ts";
import { makeMatter } from "#tests/support/records/matters.ts";
import { barriersOf, overflowOnPhone } from "#tests/support/watched-page.ts";
import { listMatters } from "#referrals/matters/matters.list.ts";
import { admin, app, attorney, network } from "#tests/support/app-test.ts";
import { page, pageTest } from "#tests/support/page-test.ts";

/** Noon of 11/30/2026 in the network's time zone, for the server and the browser. */
const test = pageTest({
  clock: "2026-11-30T17:00:00Z",
  network: {},
  attorney: { firstName: "Ada", lastName: "Byron", addressCity: "Harbor" },
  by: "admin",
});

test("a referral is recorded and referred in six clicks, then reassigned and withdrawn", async () => {
  await makeAttorney(app.db, network, { firstName: "Grace", lastName: "Hopper" });
  await makeMatter(app.db, network, { attorney, dueOn: "2026-12-20", lastName: "Doe" });
  await page.goto("/admin/matters");
  await page.getByText("1–1 of 1").waitFor();
  const click = clickCounter();
  await click(page.getByRole("link", { name: "Record a referral" }));
  await click(page.getByRole("textbox", { name: "First name" }));
  await page.keyboard.type("jane");
  await page.keyboard.press("Tab");
  await page.keyboard.type("DOE");
  // A second referral of the same client is pointed out, but not blocked.
  await page.getByText("This client may already be recorded").waitFor();
  await page.getByText(/same name, requested .*, with Ada Byron, open/).waitFor();
  await click(page.getByRole("combobox", { name: "Attorney" }));
  const offered = page.getByRole("listbox").getByRole("option");
  await offered.first().waitFor();
  expect(await offered.allInnerTexts()).toEqual([
    "Grace Hopper (0 open, no referral yet)",
    expect.stringMatching(/^Ada Byron \(Harbor, 1 open, last referral \d\d\/\d\d\/\d{4}\)$/),
  ]);
  await click(offered.first());
  await click(page.getByRole("button", { name: "Record and refer" }));
  await page.getByText("Referred to Grace Hopper").waitFor();
  expect(click.count()).toBeLessThanOrEqual(6);

  await page.getByRole("button", { name: "Reassign", exact: true }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText(/Grace Hopper no longer sees it and owes no more reports on it/).waitFor();
  await dialog.getByRole("combobox", { name: "Attorney" }).fill("byron");
  await page.getByRole("option", { name: "Ada Byron" }).waitFor();
  await dialog.getByRole("combobox", { name: "Attorney" }).press("Enter");
  await dialog.getByLabel("Reason").fill("Conflict of interest.");
  await dialog.getByRole("button", { name: "Reassign" }).click();
  await page.getByText("jane DOE is now referred to Ada Byron.").waitFor();
  const history = page.getByRole("table", { name: "Referred to" });
  await history.getByText("Conflict of interest.").waitFor();
  await page.getByRole("button", { name: "Withdraw", exact: true }).click();
  await dialog.getByRole("button", { name: "Withdraw" }).click();
  await dialog.getByRole("link", { name: "Enter a reason." }).waitFor();
  await dialog.getByLabel("Reason").fill("No longer needed.");
  await dialog.getByRole("button", { name: "Withdraw" }).click();
  await page.getByText("The referral to Ada Byron is withdrawn.").waitFor();
  await page.getByRole("heading", { name: "Refer to an attorney" }).waitFor();
  await history.getByText("No longer needed.").waitFor();

  // In a narrow window with the links in a menu: by keyboard only to the waiting referral, and close it.
  await page.setViewportSize({ width: 900, height: 800 });
  await page.getByRole("button", { name: "Menu" }).press("Enter");
  await page.getByRole("link", { name: "Referrals", exact: true }).press("Enter");
  await page.getByRole("link", { name: "jane DOE", exact: true }).press("Enter");
  const close = page.getByRole("button", { name: "Close without an attorney" });
  await close.press("Enter");
  await dialog.getByRole("button", { name: "Cancel" }).press("Enter");
  await dialog.waitFor({ state: "hidden" });
  await close.press("Enter");
  await dialog.getByLabel("Reason").fill("Settled.");
  await dialog.getByRole("button", { name: "Close the referral" }).press("Enter");
  await page.getByRole("table", { name: "History" }).getByText("Settled.").waitFor();
  await close.waitFor({ state: "hidden" });
  await expectNoBarriers();
});

test("a lawyer's departure shows its numbers first, and a return reverses it", async () => {
  await makeEnrolment(app.db, attorney, await makePlan(app.db, network), {
    startDate: "2026-12-01",
    enrolledOn: "2026-11-01",
  });
  await makeMatter(app.db, network, { attorney, dueOn: "2026-11-20" });
  await makeMatter(app.db, network, { attorney, dueOn: "2026-12-20" });
  await page.goto(`/admin/attorneys/${attorney.id}`);
  await page.getByRole("heading", { name: "Add a subscription" }).waitFor();
  await page.getByRole("tab", { name: "Details" }).click();
  await page.getByRole("button", { name: "Record departure", exact: true }).click();
  const dialog = page.getByRole("dialog");
  await dialog
    .getByText("1 subscription ends on 11/30/2026; nothing is billed afterwards.")
    .waitFor();
  await dialog
    .getByText(/^2 open referrals \(1 with a report overdue\) stay with Ada Byron/)
    .waitFor();
  await expectNoBarriers();
  await dialog.getByLabel("Left on").fill("12/01/2026");
  await dialog.getByRole("button", { name: "Record departure" }).click();
  await dialog.getByRole("link", { name: /must be today or earlier/ }).waitFor();
  await dialog.getByLabel("Left on").fill("11/22/2026");
  await dialog.getByLabel("Reason").fill("Retired.");
  await dialog.getByRole("button", { name: "Record departure" }).click();
  await page.getByText("Ada Byron has left the panel.").waitFor();
  await page.getByRole("main").locator("h1 + *").getByText("Left 11/22/2026").waitFor();
  expect(await page.getByRole("button", { name: "Invite to sign in" }).count()).toBe(0);

  // He still pays what he owes by check.
  await page.goto("/admin/checks/new");
  await page.getByRole("combobox", { name: "Payer" }).fill("byron");
  await page.getByRole("option", { name: `Ada Byron (left, ${attorney.email})` }).waitFor();
  await page.goto(`/admin/attorneys/${attorney.id}`);
  await page.getByRole("heading", { name: "Outstanding Debits" }).waitFor();
  expect(await page.getByRole("heading", { name: "Add a subscription" }).count()).toBe(0);
  await page.getByRole("tab", { name: "Details" }).click();
  await page.getByRole("button", { name: "Return to the panel", exact: true }).click();
  await dialog.getByRole("button", { name: "Return to the panel" }).click();
  await page.getByText("Ada Byron is back on the panel.").waitFor();
  await page.getByRole("button", { name: "Record departure", exact: true }).waitFor();
});

function clickCounter() {
  let clicks = 0;
  const click = async (target: { click: () => Promise<void> }) => {
    clicks += 1;
    await target.click();
  };
  return Object.assign(click, { count: () => clicks });
}

async function expectNoBarriers(): Promise<void> {
  expect(await barriersOf(page)).toEqual([]);
  expect(await overflowOnPhone(page)).toBe(0);
}

test("Enter chooses the attorney whose name was typed, not one who has waited longer and matches by email", async () => {
  await makeAttorney(app.db, network, {
    firstName: "Nicholas",
    lastName: "Hatch",
    email: "nhatch@abbottbarnes.example",
  });
  const mary = await makeAttorney(app.db, network, { firstName: "Mary", lastName: "Barnes" });
  await makeMatter(app.db, network, { attorney: mary, dueOn: "2026-12-20" });
  await page.goto("/admin/matters/new");
  const field = page.getByRole("combobox", { name: "Attorney" });
  const offered = page.getByRole("listbox").getByRole("option");
  await field.fill("barnes");
  await offered.getByText("Mary Barnes").waitFor();
  expect(await offered.allInnerTexts()).toEqual([expect.stringMatching(/^Mary Barnes \(1 open/)]);
  await field.press("Enter");
  await page
    .getByRole("main")
    .getByText(/^Mary Barnes/)
    .waitFor();
  await field.fill("abbottbarnes");
  await offered.getByText("Nicholas Hatch").waitFor();
  expect(await offered.allInnerTexts()).toEqual([
    "Nicholas Hatch (found by email nhatch@abbottbarnes.example, 0 open, no referral yet)",
  ]);
});

test("the attorney in the address has one name, whichever answer arrives first", async () => {
  const answered = Promise.withResolvers<void>();
  await page.route(new RegExp(`/choices\\?.*\\bid=${attorney.id}\\b`), async (route) => {
    await answered.promise;
    await route.continue();
  });
  await page.goto(`/admin/matters/new?attorney=${attorney.id}`);
  const field = page.getByRole("combobox", { name: "Attorney" });
  await field.press("ArrowDown");
  await page.getByRole("option", { name: /^Ada Byron/ }).waitFor();
  await field.press("Escape");
  expect(await page.getByRole("main").getByText("Ada Byron").count()).toBe(0);
  answered.resolve();
  await page.getByText(`Ada Byron (${attorney.email})`, { exact: true }).waitFor();
});

test("Enter sends nothing while another attorney is typed and none is found", async () => {
  await page.goto("/admin/matters/new");
  await page.getByRole("textbox", { name: "First name" }).fill("Jane");
  await page.getByRole("textbox", { name: "Last name" }).fill("Doe");
  const field = page.getByRole("combobox", { name: "Attorney" });
  await field.fill("byron");
  await page.getByRole("option", { name: /^Ada Byron/ }).waitFor();
  await field.press("Enter");
  await field.fill("nobody");
  await field.press("Enter"); // before the list has loaded
  await page.getByRole("option", { name: "No options" }).waitFor();
  await field.press("Enter");
  await field.press("Escape");
  await page
    .getByRole("main")
    .getByText(/^Ada Byron/)
    .waitFor();
  expect(new URL(page.url()).pathname).toBe("/admin/matters/new");
  await page.getByRole("button", { name: "Record and refer" }).click();
  await page.getByText("Referred to Ada Byron").waitFor();
  expect((await admin.call(listMatters)).total).toBe(1);
});
