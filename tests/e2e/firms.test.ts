import { expect } from "vitest";
import { addFirm } from "#panel/firms/contract.ts";
import { recordWholeCheck } from "#payments/checks/contract.ts";
import { makeAttorney } from "#tests/support/records/attorneys.ts";
import { makeDebit } from "#tests/support/records/dues.ts";
import { barriersOf, overflowOnPhone } from "#tests/support/watched-page.ts";
import { admin, app, network } from "#tests/support/app-test.ts";
import { page, pageTest, watched } from "#tests/support/page-test.ts";

const test = pageTest({ clock: "2026-05-10T16:00:00Z", network: {}, by: "admin" });

test("a firm is added with its lawyers, who link to it; a lawyer of another firm is refused by name", async () => {
  const hale = await makeAttorney(app.db, network, { firstName: "Quinn", lastName: "Hale" });
  const finch = await makeAttorney(app.db, network, { firstName: "Dora", lastName: "Finch" });
  await makeDebit(app.db, network, hale, { amountCents: 75_00 });
  await admin.call(addFirm, { body: { name: "Finch PC", attorney_ids: [finch.id] } });

  await page.goto("/admin/firms");
  await page.getByRole("link", { name: "Finch PC" }).waitFor();
  await page.getByRole("button", { name: "Add a firm" }).click();
  await page.getByLabel("Name").fill("finch pc");
  await page.getByLabel("Billing email").fill("office@hale.example");
  await page.keyboard.press("Enter");
  const taken = "Another firm already has this name. Enter a different name.";
  await page.getByRole("link", { name: taken }).click();
  await expect.poll(() => watched.alerts.splice(0)).toEqual([taken]);
  await page.keyboard.press("ControlOrMeta+A");
  await page.keyboard.type("Hale LLP");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Hale LLP" }).waitFor();
  await page.getByText("No attorneys yet").waitFor();
  await expect.poll(() => page.getByLabel("Billing email").count()).toBe(0);

  await page.getByRole("button", { name: "Add attorney" }).click();
  await page.getByRole("link", { name: "Choose an attorney." }).waitFor();
  await addLawyer("Finch", /^Dora Finch/);
  const refusal = "Remove Dora Finch from Finch PC first. An attorney can belong to only one firm.";
  await expect.poll(() => watched.alerts.splice(0)).toEqual([refusal]);
  await addLawyer("Hale", /^Quinn Hale/);
  await page.getByText("Quinn Hale was added to Hale LLP.").waitFor();
  await expect.poll(rows).toEqual(["Quinn Hale $75.00 $0.00 Remove"]);
  expect(await page.getByRole("link", { name: "Record a check" }).getAttribute("href")).toMatch(
    /^\/admin\/checks\/new\?firm_id=\d+$/,
  );
  expect(await barriersOf(page)).toEqual([]);
  expect(await overflowOnPhone(page)).toBe(0);

  await page.getByRole("link", { name: "Quinn Hale" }).click();
  await page.getByRole("heading", { name: "Quinn Hale" }).waitFor();
  await page.getByRole("tab", { name: "Details" }).click();
  await page.getByRole("link", { name: "Hale LLP" }).click();
  await page.getByRole("button", { name: "Remove Quinn Hale from the firm" }).click();
  await page.getByText("Quinn Hale was removed from Hale LLP.").waitFor();
  await page.getByText("No attorneys yet").waitFor();
});

test("a firm's page shows its checks, can be changed and is found by search", async () => {
  const { firm } = await aFirmThatPaid();
  await page.goto(`/admin/firms/${firm}?page=9`);
  await page.getByRole("link", { name: "Go to the first page" }).click();
  const check = page.getByRole("row", { name: /^10442/ });
  await expect
    .poll(async () => (await check.innerText()).replaceAll(/\s+/g, " "))
    .toBe("10442 05/09/2026 $60.00 Quinn Hale Pending");
  await page.getByRole("button", { name: "Edit" }).click();
  await page.getByLabel("Name").fill("Hale & Finch LLP");
  await page.getByLabel("Billing email").fill("billing@hale.example");
  await page.keyboard.press("Enter");
  await page.getByText("Firm saved.").waitFor();
  await page.getByRole("heading", { name: "Hale & Finch LLP" }).waitFor();
  await page.getByRole("link", { name: "billing@hale.example" }).waitFor();

  await page.goto("/admin/firms");
  await page.getByRole("link", { name: "Hale & Finch LLP" }).waitFor();
  await page.keyboard.press("/");
  await page.keyboard.type("quinn");
  await expect.poll(() => new URL(page.url()).search).toBe("?search=quinn");
  await expect.poll(rows).toEqual(["Hale & Finch LLP 1 $75.00 $0.00"]);
  await page.keyboard.press("ControlOrMeta+A");
  await page.keyboard.type("nobody");
  await page.getByText("No firms match these filters").waitFor();
  await page.getByRole("link", { name: "Clear filters" }).click();
  await page.getByRole("link", { name: "Hale & Finch LLP" }).waitFor();
  expect(await barriersOf(page)).toEqual([]);
  expect(await overflowOnPhone(page)).toBe(0);
});

async function addLawyer(typed: string, option: RegExp): Promise<void> {
  await page.getByRole("combobox", { name: "Add an attorney" }).fill(typed);
  await page.getByRole("option", { name: option }).click();
  await page.getByRole("button", { name: "Add attorney" }).click();
}

async function aFirmThatPaid() {
  const hale = await makeAttorney(app.db, network, { firstName: "Quinn", lastName: "Hale" });
  const debit = await makeDebit(app.db, network, hale, { amountCents: 75_00 });
  const firm = await admin.call(addFirm, { body: { name: "Hale LLP", attorney_ids: [hale.id] } });
  await admin.call(recordWholeCheck, {
    body: {
      check_number: "10442",
      amount: "60.00",
      received_on: "2026-05-09",
      firm_id: firm.id,
      shares: { [debit]: "60.00" },
    },
  });
  return { firm: firm.id };
}

async function rows(): Promise<string[]> {
  const texts = await page.locator("tbody tr").allInnerTexts();
  return texts.map((text) => text.replaceAll(/\s+/g, " ").trim());
}
