import { expect } from "vitest";
import { Temporal } from "temporal-polyfill";
import { recordWholeCheck } from "#payments/checks/contract.ts";
import { makePlan } from "#main/demo/records/dues.ts";
import { makeMatter } from "#tests/support/records/matters.ts";
import { aChargedDebit } from "#tests/support/check-records.ts";
import { admin, app, attorney, network } from "#tests/support/app-test.ts";
import { address, openPage, page, pageTest, watched } from "#tests/support/page-test.ts";
import { barriersOf, overflowOnPhone } from "#tests/support/watched-page.ts";

const test = pageTest({
  network: { timeZone: "America/New_York" },
  attorney: { firstName: "Quentin", lastName: "Hale" },
});

const today = () => Temporal.Now.plainDateISO("America/New_York");

async function recordCheck(number: string, debit: number, amount: string): Promise<void> {
  await admin.call(recordWholeCheck, {
    body: {
      check_number: number,
      amount,
      received_on: today().toString(),
      attorney_id: attorney.id,
      shares: { [debit]: amount },
    },
  });
}

test("the first page lists what is waiting; a line updates without a reload, leads to its list, and disappears after three clicks", async () => {
  await makePlan(app.db, network);
  const dueOn = today().subtract({ days: 45 }).toString();
  const debit = await aChargedDebit(app.db, network, attorney, { amountCents: 20_000, dueOn });
  await recordCheck("1020", debit, "41.20");
  await makeMatter(app.db, network);
  await openPage({ visitor: admin });
  await page.goto("/");
  await page.getByRole("heading", { level: 1, name: "Today" }).waitFor();
  expect(new URL(page.url()).pathname).toBe("/admin");
  const waiting = page.getByRole("region", { name: "Waiting for you" });
  const lines = async () =>
    (await waiting.getByRole("listitem").allInnerTexts()).map((line) =>
      line.replaceAll(/\s+/g, " "),
    );
  const referral = "1 referral without an attorney oldest less than an hour";
  await expect.poll(lines).toEqual(["1 check to confirm $41.20", referral]);
  await waiting.getByText("Nothing else is waiting.").waitFor();
  expect(await barriersOf(page, { inDark: true })).toEqual([]);
  expect(await overflowOnPhone(page)).toBe(0);

  await recordCheck("1021", debit, "8.80");
  await expect.poll(lines).toEqual(["2 checks to confirm $50.00", referral]);
  await page.getByText(/recorded Check 1021 of \$8\.80/).waitFor();

  await waiting.getByRole("link", { name: "2 checks to confirm $50.00" }).click();
  await page.getByRole("heading", { level: 1, name: "Checks" }).waitFor();
  await expect
    .poll(() => page.getByRole("table", { name: "Checks" }).locator("tbody tr").count())
    .toBe(2);
  await page.getByRole("checkbox", { name: /^Choose all on this page/ }).click();
  await page.getByRole("button", { name: "Approve 2 checks ($50.00)" }).click();
  await page.getByText("2 checks ($50.00) approved.").waitFor();
  await page.goBack();
  await expect.poll(lines).toEqual([referral]);

  // The charts, by keyboard only: a table one press away, and each figure.
  const aging = page.getByRole("region", { name: "Owed, by age" });
  await aging.getByRole("link", { name: "31–60" }).waitFor();
  await aging.getByText("$150.00").first().waitFor();
  const months = page.getByRole("region", { name: "Billed and received" });
  const thisMonth = today().toLocaleString("en-US", { month: "long", year: "numeric" });
  await months.getByRole("application").focus();
  await page.keyboard.press("ArrowLeft");
  for (let moved = 0; moved < 11; moved += 1) await page.keyboard.press("ArrowRight");
  await months.getByText("Billed: $200.00").waitFor();
  await months.getByText("Received: $50.00").waitFor();
  await months.getByRole("button", { name: "Billed and received as a table" }).focus();
  await page.keyboard.press("Enter");
  await months.getByRole("row", { name: `${thisMonth} $200.00 $50.00` }).waitFor();
  expect(await months.getByRole("row").count()).toBe(13);
  await page.keyboard.press("Enter");
  await months.getByRole("application").waitFor();
  expect(await barriersOf(page, { inDark: true })).toEqual([]);

  await aging.getByRole("link", { name: "31–60" }).click();
  await page.getByRole("heading", { level: 1, name: "Receivables" }).waitFor();
  await page.getByRole("row", { name: /^Quentin Hale .*\$150\.00/ }).waitFor();
  await expect.poll(() => page.getByLabel("Owed for").inputValue()).toBe("days60");
  expect(watched.alerts).toEqual([]);
});

test("the first page of a new network says where to begin, and recovers from a failure", async () => {
  await openPage({ visitor: admin, expectsFaults: true });
  await page.goto("/admin");
  await page
    .getByRole("region", { name: "First steps" })
    .getByText("Create a subscription: ")
    .waitFor();
  await page.getByText("Nothing is waiting for you.").waitFor();
  await page.getByRole("link", { name: "Create a subscription" }).click();
  await page.getByRole("heading", { level: 1, name: "Subscriptions" }).waitFor();
  await makePlan(app.db, network);
  const isOverview = (url: URL) => url.pathname === "/overview" && url.origin === address;
  await page.route(isOverview, (route) => route.fulfill({ status: 503, body: "" }));
  await page.reload();
  await page.getByRole("link", { name: "Today" }).click();
  const failed = page.getByRole("alert").filter({ hasText: "could not be loaded" });
  await failed.waitFor();
  await page.unroute(isOverview);
  await failed.getByRole("button", { name: "Try again" }).click();
  await page.getByText("Nothing is waiting for you.").waitFor();
  const steps = page.getByRole("region", { name: "First steps" });
  await steps.getByRole("link", { name: "Enter your address" }).waitFor();
  await steps.getByRole("link", { name: "How email is sent" }).waitFor();
  await steps.getByRole("link", { name: "Set up card payments" }).waitFor();
  expect(await barriersOf(page)).toEqual([]);
  expect(await overflowOnPhone(page)).toBe(0);
  await steps.getByRole("button", { name: "Hide these steps" }).click();
  await expect.poll(() => steps.count()).toBe(0);
  await page.reload();
  await page.getByText("Nothing is waiting for you.").waitFor();
  expect(await steps.count()).toBe(0);
});
