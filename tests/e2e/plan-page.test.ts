import { expect } from "vitest";
import { subscribeAll } from "#dues/plans/contract.ts";
import { payByCheck } from "#payments/contract.ts";
import { listOutstanding } from "#dues/ledger/contract.ts";
import { makeAttorney, makePanel } from "#tests/support/records/attorneys.ts";
import { makePlan } from "#main/demo/records/dues.ts";
import { makeEnrolments } from "#tests/support/records/dues.ts";
import { barriersOf, overflowOnPhone } from "#tests/support/watched-page.ts";
import { admin, app, network } from "#tests/support/app-test.ts";
import { page } from "#tests/support/page-test.ts";
import { planPageTest, subscribeAllOnScreen, terms } from "#tests/support/screens/plan-page.ts";

const test = planPageTest();

test("a plan's page shows what it billed, ends several enrolments, and undoes Subscribe all", async () => {
  const plan = await makePlan(app.db, network, { name: "Panel dues" });
  const ada = await makeAttorney(app.db, network, { firstName: "Ada", lastName: "Byron" });
  await makeAttorney(app.db, network, { firstName: "Zoë", lastName: "Quill" });
  await makePanel(app.db, network, 59);
  await admin.call(subscribeAll, { body: terms(plan.id) });
  await page.goto("/admin/subscriptions");
  await page.getByRole("link", { name: "Panel dues" }).click();
  await page.getByRole("heading", { name: "Panel dues" }).waitFor();
  await expect
    .poll(() => details())
    .toBe("Enrolled now 61 Billed $3,050.00 Collected $0.00 Owed $3,050.00");
  await page.getByText("1–50 of 61").waitFor();
  expect(await barriersOf(page)).toEqual([]);
  expect(await overflowOnPhone(page)).toBe(0);

  await page.getByRole("checkbox", { name: "Choose Ada Byron" }).check();
  await page.getByRole("checkbox", { name: /^Choose all on this page/ }).check();
  await page.getByText("50 chosen").waitFor();
  await page.getByRole("button", { name: "Clear" }).click();
  await page.getByLabel("Search attorneys").fill("ada byr");
  await page.getByText("1–1 of 1").waitFor();
  await page.getByRole("checkbox", { name: "Choose Ada Byron" }).check();
  await page.getByLabel("Search attorneys").fill("quill");
  await page.getByRole("checkbox", { name: "Choose Zoë Quill" }).check();
  await page.getByRole("button", { name: "End 2 enrolments" }).click();
  await page
    .getByText(
      "End 2 enrolments. The $100.00 owed on them stays owed. Nothing is billed after that.",
    )
    .waitFor();
  await page.getByRole("dialog").getByRole("button", { name: "End 2 enrolments" }).click();
  await page.getByText("2 enrolments in Panel dues ended.").waitFor();
  await page.getByLabel("Search attorneys").fill("");
  await page.getByText("1–50 of 59").waitFor();
  await page.getByLabel("Enrolment").selectOption("Ended");
  await page.getByText("1–2 of 2").waitFor();
  await page.getByRole("row", { name: /^Ada Byron/ }).waitFor();

  const debit = (await admin.call(listOutstanding, { query: { attorney_id: ada.id } }))[0]?.id;
  await admin.call(payByCheck, {
    body: { payment_hash: { [String(debit)]: "50" }, check_number: "1001" },
  });
  await page.getByText("Pending", { exact: true }).waitFor(); // a hint made the page refetch
  await page.getByRole("button", { name: "Undo Subscribe all to Panel dues" }).click();
  await page
    .getByRole("dialog")
    .getByText("One of its debits has a payment, approved or pending.")
    .waitFor();
  await page.keyboard.press("Escape");

  await makePanel(app.db, network, 3);
  await subscribeAllOnScreen();
  await page.getByText("Panel dues: 5 attorneys subscribed now").waitFor();
  const newest = page.getByRole("region", { name: "Subscribe all, history" }).getByRole("row");
  await newest.nth(1).getByRole("button", { name: "Undo Subscribe all to Panel dues" }).click();
  await page.getByText("End 5 enrolments and reverse $250.00 of debits.").waitFor();
  await page.getByRole("button", { name: "Undo Subscribe all", exact: true }).click();
  await page.getByText(/was undone: 5 enrolments ended, \$250\.00/).waitFor();
  await newest.nth(1).getByText("Undone").waitFor();

  await page.getByRole("button", { name: "Archive Panel dues" }).click();
  await page.getByText("Panel dues was archived.").waitFor();
  await page.getByText("Archived", { exact: true }).waitFor();
  await expect
    .poll(() => page.getByRole("button", { name: /^Subscribe all lawyers/ }).count())
    .toBe(0);
});

test("when the last enrolment of a page ends, the list links to the others", async () => {
  const plan = await makePlan(app.db, network, { name: "Panel dues" });
  await makeEnrolments(app.db, await makePanel(app.db, network, 51), plan, {});
  await page.goto(`/admin/plans/${plan.id}?page=2`);
  await page.getByText("51–51 of 51").waitFor();
  await page.getByRole("checkbox", { name: "Choose Panel Member" }).check();
  await page.getByRole("button", { name: "End 1 enrolment" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "End 1 enrolment" }).click();
  await page.getByText("Nothing on this page (50 in all)").waitFor();
  expect(await page.getByText("No attorney is enrolled").count()).toBe(0);
  await page.getByRole("link", { name: "Go to the first page" }).click();
  await page.getByText("1–50 of 50").waitFor();
});

async function details(): Promise<string> {
  const text = await page.locator("dl").first().innerText();
  return text.replaceAll(/\s+/g, " ").trim();
}
