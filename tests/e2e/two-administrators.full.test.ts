import { expect } from "vitest";
import { editAttorney } from "#people/contract.ts";
import { makeAttorney } from "#tests/support/records/attorneys.ts";
import { makeMatter } from "#tests/support/records/matters.ts";
import { showFirm } from "#panel/firms/contract.ts";
import { referMatter, showMatter } from "#referrals/matters/contract.ts";
import { admin, app, attorney, network } from "#tests/support/app-test.ts";
import { page, pageTest, watched } from "#tests/support/page-test.ts";
import { aFirm } from "#tests/support/received-checks.ts";

/* Two people at the same record: src/referrals/matters and src/panel/firms test refusals. */

const test = pageTest({
  network: {},
  attorney: { firstName: "Ada", lastName: "Byron" },
  by: "admin",
});

test("a referral that was just reassigned is not withdrawn from the new attorney", async () => {
  const grace = await makeAttorney(app.db, network, { firstName: "Grace", lastName: "Hopper" });
  const id = await makeMatter(app.db, network, { attorney, lastName: "Doe" });
  await page.goto(`/admin/matters/${id}`);
  await page.getByRole("button", { name: "Withdraw", exact: true }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText(/^Ada Byron owes no more reports on it/).waitFor();
  await admin.call(referMatter, { params: { id }, body: { attorney_id: grace.id } });
  await page.getByText("Referred to Grace Hopper").waitFor({ state: "attached" });
  await dialog.getByText(/^Ada Byron owes no more reports on it/).waitFor();
  await dialog.getByLabel("Reason").fill("The client moved away.");
  await dialog.getByRole("button", { name: "Withdraw" }).click();
  await expect
    .poll(() => watched.alerts)
    .toEqual(["This referral has already been assigned. Reload the page to see it."]);
  expect((await admin.call(showMatter, { params: { id } })).attorneyId).toBe(grace.id);
});

test("an attorney just added to a firm stays in it when another is removed", async () => {
  const grace = await makeAttorney(app.db, network, { firstName: "Grace", lastName: "Hopper" });
  const firm = await aFirm(app.db, network, [attorney], "Byron & Hopper");
  await page.goto(`/admin/firms/${firm}`);
  await page.getByRole("row", { name: /Ada Byron/ }).waitFor();
  await admin.call(editAttorney, { params: { id: grace.id }, body: { firm_id: firm } });
  await page.getByRole("row", { name: /Grace Hopper/ }).waitFor(); // without a reload
  await page.getByRole("button", { name: "Remove Ada Byron from the firm" }).click();
  await page.getByText("Ada Byron was removed from Byron & Hopper.").waitFor();
  const { attorneys } = await admin.call(showFirm, { params: { id: firm } });
  expect(attorneys.map(({ id }) => id)).toEqual([grace.id]);
});
