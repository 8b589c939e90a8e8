import { page } from "#tests/support/page-test.ts";

/* The dialog in which anything is found. */

export const dialog = () => page.getByRole("dialog", { name: "Find anything" });
export const field = () => dialog().getByRole("combobox");

/** What is found, each in one line. */
export const options = async () =>
  (await dialog().getByRole("option").allInnerTexts()).map((text) => text.replaceAll(/\s+/g, " "));

/** Press keys one after the other. Answers how many. */
export async function press(...keys: string[]): Promise<number> {
  for (const key of keys) await page.keyboard.press(key);
  return keys.length;
}
