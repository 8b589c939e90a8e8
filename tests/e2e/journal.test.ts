import { beforeEach, expect } from "vitest";
import { type Day, daysAfter, formatDay } from "#kit/domain/day.ts";
import { type Period, periodOf } from "#kit/domain/periods.ts";
import { app, attorney, network } from "#tests/support/app-test.ts";
import { aChargedDebit, aCheck } from "#tests/support/check-records.ts";
import { onDay } from "#tests/support/on-day.ts";
import { page, pageTest, watched } from "#tests/support/page-test.ts";
import { barriersOf, overflowOnPhone } from "#tests/support/watched-page.ts";

const test = pageTest({
  by: "admin",
  network: { timeZone: "UTC" },
  attorney: { firstName: "Ada", lastName: "Byron" },
});

let today: Day;
let lastMonth: Period;
let monthEnd: string;

/** A charge of last month and one of today, and an earlier check that is pending. */
beforeEach(async () => {
  today = new Date().toISOString().slice(0, 10);
  lastMonth = periodOf("last_month", today);
  monthEnd = formatDay(lastMonth.to);
  const debit = await onDay(app.db, network, lastMonth.from, (tx) =>
    aChargedDebit(tx, network, attorney, { amountCents: 4000, name: "Seminar" }),
  );
  await aChargedDebit(app.db, network, attorney, { amountCents: 2500 });
  await aCheck(app.db, network, {
    parts: [{ attorneyId: attorney.id, shares: { [debit]: 1000 } }],
  });
});

const words = async (name: string) =>
  (
    await page
      .getByRole("table", { name, exact: true })
      .locator("tbody tr, tfoot tr")
      .allInnerTexts()
  ).map((row) => row.replaceAll(/\s+/g, " ").trim());

test("the journal of a month is read, closed and reopened", async () => {
  await page.goto("/admin/journal");
  await page.getByText("The books are open", { exact: true }).waitFor();
  await expect
    .poll(() => words("Journal"))
    .toEqual([
      expect.stringMatching(
        /^\S+ Accounts receivable Other income \$25\.00 Ada Byron Debit \d+ Late fee$/,
      ),
      expect.stringMatching(
        /^\S+ Accounts receivable Other income \$40\.00 Ada Byron Debit \d+ Seminar$/,
      ),
    ]);
  await page.getByLabel("Period").selectOption("Last month");
  await expect
    .poll(() => words("Trial balance"))
    .toEqual([
      "Accounts receivable $0.00 $40.00 $0.00 $40.00",
      "Other income $0.00 $0.00 $40.00 -$40.00",
      "Total of 2 accounts $0.00 $40.00 $40.00 $0.00",
    ]);
  expect(await barriersOf(page)).toEqual([]);
  expect(await overflowOnPhone(page)).toBe(0);
  await page.getByRole("link", { name: "Other income" }).click();
  await expect
    .poll(() => page.getByLabel("Account", { exact: true }).inputValue())
    .toBe("other_income");
  await page.getByRole("link", { name: "Journal", exact: true }).click();

  await page.getByRole("button", { name: "Close the books" }).click();
  const closing = page.getByRole("dialog", { name: "Close the books" });
  await closing.getByText(`Still open through ${monthEnd}:`).waitFor();
  await closing.getByRole("link", { name: "1 check is pending" }).waitFor();
  expect(await barriersOf(page)).toEqual([]);
  await closing.getByLabel("Note").fill("Agrees with the bank");
  await closing.getByRole("button", { name: `Close through ${monthEnd}` }).click();
  await page.getByText(`The books are closed through ${monthEnd}.`, { exact: true }).waitFor();
  await page
    .getByRole("table", { name: "Closings" })
    .getByRole("row", { name: `Closed through ${monthEnd}` })
    .getByText("Agrees with the bank")
    .waitFor();

  await page.getByRole("button", { name: "Reopen" }).click();
  const reopening = page.getByRole("dialog", { name: "Reopen the books" });
  await reopening.getByRole("button", { name: "Reopen the books" }).click();
  await reopening.getByText("Enter a reason.").first().waitFor();
  await reopening.getByLabel("Reason").fill("A deposit was forgotten");
  const before = daysAfter(lastMonth.from, -1);
  await reopening.getByLabel("Stay closed through").fill(formatDay(before));
  await reopening.getByText(`This reopens the days after ${formatDay(before)}`).waitFor();
  expect(await barriersOf(page)).toEqual([]);
  await reopening.getByRole("button", { name: "Reopen the books" }).click();
  await page
    .getByText(`The books are closed through ${formatDay(before)}; later days are open.`)
    .waitFor();
  await page.getByRole("button", { name: "Close the books" }).click();
  await closing.getByLabel("Close the books through").fill(formatDay(daysAfter(today, -1)));
  await closing
    .getByRole("button", { name: `Close through ${formatDay(daysAfter(today, -1))}` })
    .click();
  await page
    .getByText(`The books are closed through ${formatDay(daysAfter(today, -1))}.`)
    .first()
    .waitFor();
  // Nothing is left to close.
  await expect.poll(() => page.getByRole("button", { name: "Close the books" }).count()).toBe(0);
  await page.goto("/admin/activity");
  await page.getByRole("row", { name: /Reopened the books/ }).waitFor();
  expect(watched.alerts).toEqual([]);
});
