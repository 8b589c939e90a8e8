import { page, pageTest } from "#tests/support/page-test.ts";

/* Referrals on an administrator's screens, and Ada Byron, who may receive them. */

/** `pageTest` at noon of 11/30/2026 in the network's time zone. */
export const mattersTest = () =>
  pageTest({
    clock: "2026-11-30T17:00:00Z",
    network: { permitsMatterEditing: true },
    attorney: { firstName: "Ada", lastName: "Byron" },
    by: "admin",
  });

export async function openMatter(id: number): Promise<void> {
  await page.goto(`/admin/matters/${id}`);
  await page.getByRole("heading", { name: "Contact details" }).waitFor();
}

/** In the attorney field: type a part of the name, and choose the first match. */
export async function chooseAttorney(typed: string, name: string): Promise<void> {
  const select = page.getByRole("combobox", { name: "Attorney" });
  await select.fill(typed);
  await page.getByRole("option", { name }).waitFor();
  await select.press("Enter");
}
