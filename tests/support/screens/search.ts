import { page } from "#tests/support/page-test.ts";

/* The Find anything dialog. */

export const dialog = () => page.getByRole("dialog", { name: "Find anything" });
export const field = () => dialog().getByRole("combobox");

/** The text of each match. */
export const options = async () =>
  (await dialog().getByRole("option").allInnerTexts()).map((text) => text.replaceAll(/\s+/g, " "));

/** Press keys one after the other. Returns how many. */
export async function press(...keys: string[]): Promise<number> {
  for (const key of keys) await page.keyboard.press(key);
  return keys.length;
}
