import { expect } from "vitest";
import { makeMatter } from "#tests/support/records/matters.ts";
import { makeAttorney, makePanel } from "#tests/support/records/attorneys.ts";
import { app, attorney, network } from "#tests/support/app-test.ts";
import { page, watched } from "#tests/support/page-test.ts";
import { chooseAttorney, mattersTest, openMatter } from "#tests/support/screens/matters.ts";
import { setPausedUntil } from "#tests/support/screens/vacation.ts";

/*
 * Further cases of referrals; src/referrals/matters tests refusals, tests/interface/tenants.test.ts other
 * networks' records.
 */

const test = mattersTest();

test("a referral is recorded from its attorney's page, and the client's page shows their phone number", async () => {
  await app.db
    .updateTable("attorneys")
    .set({ phone: "(555) 010-0001" })
    .where("id", "=", attorney.id)
    .execute();
  await page.goto(`/admin/attorneys/${attorney.id}`);
  await page.getByRole("link", { name: "Record a referral" }).click();
  await page.getByText(`Ada Byron (${attorney.email})`).waitFor();
  await page.getByLabel("First name").fill("Jane");
  await page.getByLabel("Last name").fill("Doe");
  await page.getByRole("button", { name: "Record and refer" }).click();
  await page.getByRole("link", { name: "(555) 010-0001" }).waitFor();
  await setPausedUntil("2026-12-15");
  await page.getByRole("link", { name: "Ada Byron" }).first().click();
  await page.getByRole("link", { name: "1 open referral" }).waitFor();
  await page.getByText("On vacation until 12/15/2026").waitFor();
  await expect.poll(() => page.getByRole("link", { name: "Record a referral" }).count()).toBe(0);
});

test("a new referral is printed without its form", async () => {
  await openMatter(await makeMatter(app.db, network));
  const referring = page.getByRole("heading", { name: "Refer to an attorney" });
  await referring.waitFor();
  await page.emulateMedia({ media: "print" });
  await expect.poll(() => referring.isVisible()).toBe(false);
  await expect
    .poll(() => page.getByRole("heading", { name: "Contact details" }).isVisible())
    .toBe(true);
});

test("nothing can be edited where the network does not permit it", async () => {
  await app.db
    .updateTable("networks")
    .set({ permitsMatterEditing: false })
    .where("id", "=", network.id)
    .execute();
  await openMatter(await makeMatter(app.db, network));
  await page.getByText("Not referred yet").waitFor();
  await expect.poll(() => page.getByRole("button", { name: "Edit" }).count()).toBe(0);
});

test("the attorney to refer to is found by a phone number in any punctuation", async () => {
  await app.db
    .updateTable("attorneys")
    .set({ phone: "(617) 555-0134" })
    .where("id", "=", attorney.id)
    .execute();
  await makeAttorney(app.db, network, { firstName: "Grace", lastName: "Hopper" });
  await openMatter(await makeMatter(app.db, network));
  const select = page.getByRole("combobox", { name: "Attorney" });
  for (const typed of ["617.555.0134", "+1 617-555-0134", "555 0134"]) {
    await select.fill(typed);
    await page.getByRole("option", { name: "Ada Byron" }).waitFor();
    await expect.poll(() => page.getByRole("option").count()).toBe(1);
  }
  await select.press("Enter");
  await page.getByRole("button", { name: "Refer" }).click();
  await page.getByText("Referred to Ada Byron").waitFor();
});

test("only attorneys who may receive a referral are offered; one who no longer may is refused", async () => {
  await makePanel(app.db, network, 230);
  await setPausedUntil("2026-12-15");
  const matter = await makeMatter(app.db, network);
  await openMatter(matter);
  await page.getByRole("button", { name: "Refer" }).click();
  await page.getByRole("link", { name: "Choose an attorney." }).click();
  await page.keyboard.type("ada byron");
  await page.getByText("No options", { exact: true }).waitFor();
  await setPausedUntil(null);
  await page.reload();
  await chooseAttorney("member 229", "Panel Member 229"); // beyond the first 200
  await chooseAttorney("byron", "Ada Byron");
  await setPausedUntil("2026-12-15");
  await page.getByRole("button", { name: "Refer" }).click();
  const refusal = "Ada Byron is on vacation and receives no new referrals.";
  await page.getByRole("alert").getByText(refusal).waitFor();
  await expect.poll(() => watched.alerts).toEqual([refusal]);
  await setPausedUntil(null);
  await page.getByRole("button", { name: "Refer" }).click();
  await page.getByText("The first one is due 12/30/2026.").waitFor();
  await page.getByRole("link", { name: "Ada Byron" }).first().waitFor();
  await expect.poll(() => page.getByRole("button", { name: "Refer" }).count()).toBe(0);
});
