import { addFirm } from "#panel/firms/contract.ts";
import { makeAttorney } from "#tests/support/records/attorneys.ts";
import { admin, app, network } from "#tests/support/app-test.ts";
import { openPage, page, pageTest } from "#tests/support/page-test.ts";

/* Further cases of firms. */

const test = pageTest({ clock: "2026-05-10T16:00:00Z", network: {}, by: "admin" });

test("an attorney's form names the firm; the firm list of a network without firms says so", async () => {
  const ada = await makeAttorney(app.db, network, { firstName: "Ada", lastName: "Byron" });
  await openPage({ visitor: admin });
  await page.goto("/admin/firms");
  await page.getByText("No firms yet").waitFor();
  await admin.call(addFirm, { body: { name: "Byron Law", attorney_ids: [] } });
  await page.goto(`/admin/attorneys/${ada.id}?view=details`);
  await page.getByRole("button", { name: "Edit" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("combobox", { name: "Firm" }).fill("byr");
  await dialog.getByRole("option", { name: "Byron Law" }).click();
  await dialog.getByRole("button", { name: "Save contact details" }).click();
  await page.getByText("Contact details saved.").waitFor();
  await page.getByRole("link", { name: "Byron Law" }).waitFor();
});
