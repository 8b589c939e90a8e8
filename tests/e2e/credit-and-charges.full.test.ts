import { sql } from "kysely";
import { expect } from "vitest";
import { plainDate } from "#kit/domain/calendar.ts";
import { runBilling } from "#dues/ledger/billing-run.ts";
import { aCredit, creditOf } from "#tests/support/ledger.ts";
import { makePlan } from "#main/demo/records/dues.ts";
import { makeEnrolment } from "#tests/support/records/dues.ts";
import { admin, app, attorney, lawyer, network } from "#tests/support/app-test.ts";
import { expectNoBarriers, openPage, page } from "#tests/support/page-test.ts";
import { dialog, openAttorney, rowOf } from "#tests/support/screens/admin-dues.ts";
import { creditAndChargesTest } from "#tests/support/screens/credit-and-charges.ts";

/* Further cases of credit and charges; src/dues/ledger tests what credit pays. */

const test = creditAndChargesTest();

test("the billing run says how much of its new debits credit has paid", async () => {
  const plan = await makePlan(app.db, network, { amountCents: 5000 });
  await makeEnrolment(app.db, attorney, plan, {
    startDate: "2026-11-01",
    enrolledOn: "2026-10-15",
  });
  await aCredit(app.db, network, attorney.id, 2000);
  await runBilling(app.db, network.admin, plainDate("2026-11-30"));
  await openAttorney();
  await expect
    .poll(() => rowOf("Panel dues", "Outstanding Debits"))
    .toMatch(/\$30\.00 \$20\.00 paid from credit/);
  await expect
    .poll(() => rowOf("Paid on", "Credit"))
    .toMatch(/Paid on Panel dues, due 11\/01\/2026 \(automatically\).*-\$20\.00/);
  await page.getByText("$0.00 left").waitFor();

  await openPage({ visitor: lawyer });
  await page.goto("/dashboard");
  await expect
    .poll(() => rowOf("Panel dues", "Owed"))
    .toMatch(/\$30\.00 \$20\.00 paid from credit/);
  await page.getByText("You have used all your credit.").waitFor();
  await expectNoBarriers();
});

test("one attorney is charged from their page, and credit pays what it can", async () => {
  await aCredit(app.db, network, attorney.id, 1000);
  await openAttorney();
  await page.getByRole("button", { name: "Charge", exact: true }).click();
  const charging = dialog("Charge Ada Byron");
  await charging.getByLabel("Name of the charge").fill("Seminar");
  await charging.getByLabel("Amount in dollars").fill("35.00");
  await charging
    .getByText("Charge 1 attorney $35.00. Credit pays $10.00 of this immediately.")
    .waitFor();
  await charging.getByLabel("Note").fill("On ethics");
  await charging.getByRole("button", { name: "Charge 1 attorney ($35.00)" }).click();
  await page.getByText("Seminar: 1 attorney is charged, $35.00 in all.").waitFor();
  await expect
    .poll(() => rowOf("Seminar", "Outstanding Debits"))
    .toMatch(/Seminar On ethics 11\/30\/2026 \$25\.00 \$10\.00 paid from credit/);
  expect(await creditOf(app.db, attorney.id)).toBe(0);
});

test("a charge whose answer was lost is made once, however often it is pressed", async () => {
  await openPage({ visitor: admin, mayComplain: true });
  await page.goto("/admin/attorneys");
  await page.getByRole("button", { name: "Charge attorneys" }).click();
  const charging = dialog("Charge attorneys");
  await charging.getByLabel("Name of the charge").fill("Course");
  await charging.getByLabel("Amount in dollars").fill("10");
  const charge = charging.getByRole("button", { name: /^Charge 1 attorney \(\$10\.00\)/ });
  await page.route(
    "**/charges",
    async (route) => {
      await route.fetch();
      await route.abort();
    },
    { times: 1 },
  );
  await charge.click();
  await charging.getByText("The server could not be reached.").first().waitFor();
  await charge.click();
  await page.getByText("Course: 1 attorney is charged, $10.00 in all.").waitFor();
  const { rows } = await sql<{ name: string }>`
    select name from charges where network_id = ${network.id}`.execute(app.db);
  expect(rows).toEqual([{ name: "Course" }]);
});
