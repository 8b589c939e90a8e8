import { page } from "#tests/support/page-test.ts";

/** Record all texts that the open dialog shows until it is closed. Resolves with them once it is closed. */
export async function notedWords(): Promise<() => Promise<string[]>> {
  await page.evaluate(() => {
    const said = new Set<string>();
    const note = () => {
      const dialog = document.querySelector<HTMLDialogElement>("dialog[open]");
      if (dialog) said.add(dialog.innerText);
    };
    note();
    new MutationObserver(note).observe(document, {
      subtree: true,
      childList: true,
      characterData: true,
    });
    Object.assign(window, { said });
  });
  return async () => {
    await page.locator("dialog[open]").waitFor({ state: "detached" });
    return await page.evaluate(() => [...(window as unknown as { said: Set<string> }).said]);
  };
}
