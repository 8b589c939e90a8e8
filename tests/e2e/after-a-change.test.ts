import { expect } from "vitest";
import { aCredit } from "#tests/support/ledger.ts";
import { app, attorney, network } from "#tests/support/app-test.ts";
import { notedWords } from "#tests/support/dialog-words.ts";
import { page, watched } from "#tests/support/page-test.ts";
import { dialog, openAttorney } from "#tests/support/screens/admin-dues.ts";
import { creditAndChargesTest } from "#tests/support/screens/credit-and-charges.ts";

/* After a change the page refetches its data before it reports success (decision 098). */

const test = creditAndChargesTest();

async function giveBack(): Promise<void> {
  await aCredit(app.db, network, attorney.id, 10_000);
  await openAttorney();
  await page.getByText("$100.00 left").waitFor();
  await page.getByRole("button", { name: "Refund credit" }).click();
  const giving = dialog("Refund credit");
  await giving.getByLabel("Amount in dollars").fill("50");
  await giving.getByLabel("Note").fill("Our check 512");
  await giving.getByText("The credit goes from $100.00 to $50.00.").waitFor();
}
const record = () =>
  dialog("Refund credit").getByRole("button", { name: "Record refund of credit" }).click();

test("success is reported in the confirmed words even if a part of the page cannot refresh", async () => {
  await giveBack();
  await page.route(/\/credit\b/, async (route) => {
    if (route.request().method() !== "GET") await route.continue(); // otherwise it is never answered
  });
  const words = await notedWords();
  await record();
  await page.getByText("A refund of $50.00 was recorded. $50.00 of credit is left.").waitFor();
  for (const said of await words())
    expect(said).toContain("The credit goes from $100.00 to $50.00.");
  await page.getByText("$50.00 left", { exact: true }).waitFor();
});

test("a refused change causes no further refetch of a page that made too many requests", async () => {
  await page.routeWebSocket(/\/cable/, () => undefined); // no hint from the real-time channel causes one either
  await giveBack();
  await page.route(/\/credit\b/, (route) =>
    route.fulfill({ status: 429, json: { success: false, object: null, message: "Busy." } }),
  );
  const asked: string[] = [];
  page.on("request", (request) => asked.push(`${request.method()} ${request.url()}`));
  await record();
  await expect.poll(() => watched.alerts).toEqual(["Busy."]);
  await dialog("Refund credit").getByText("Busy.").first().waitFor();
  expect(asked.filter((one) => one.startsWith("GET"))).toEqual([]);
  expect(await dialog("Refund credit").getByLabel("Note").inputValue()).toBe("Our check 512");
});
