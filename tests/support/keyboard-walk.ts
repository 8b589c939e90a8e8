import type { Page } from "playwright-core";
import { smallFields, twoFrames } from "#tests/support/layout-faults.ts";
import { barriersOf } from "#tests/support/watched-page.ts";

const controls =
  "a[href], button:not(:disabled), input:not(:disabled, [type=hidden]), select:not(:disabled), textarea:not(:disabled), summary, [tabindex='0']";

interface Walk {
  /** The elements present at the start. */
  known: Set<Element>;
  reached: Set<Element>;
  faults: string[];
}

declare global {
  interface Window {
    keyboardWalk: Walk;
  }
}

/**
 * Tab through a whole page: which controls are not reached, and which do not show focus. If something new was
 * drawn in a part already passed, tab through it again.
 */
export async function keyboardFaults(page: Page): Promise<string[]> {
  for (let walks = 1; ; walks += 1) {
    const count = await page.evaluate(beginWalk, controls);
    for (let press = 0; press < count + 4; press += 1) await page.keyboard.press("Tab");
    const { faults, isNewUnreached } = await page.evaluate(endWalk, controls);
    if (!isNewUnreached || walks === 3) return faults;
  }
}

function beginWalk(selector: string): number {
  const known = new Set(document.querySelectorAll(selector));
  const walk: Walk = { known, reached: new Set(), faults: [] };
  window.keyboardWalk = walk;
  const nameOf = (part: Element) =>
    `${part.localName} "${part.getAttribute("aria-label") ?? part.textContent?.trim().slice(0, 60)}"`;
  const around = (part: Element) => {
    const parts = [part];
    for (let at = part.parentElement; at && parts.length < 5; at = at.parentElement) parts.push(at);
    return [...parts, ...part.children];
  };
  const isMarked = (part: Element) =>
    around(part).some((each) => {
      const style = getComputedStyle(each);
      return style.outlineStyle !== "none" && Number.parseFloat(style.outlineWidth) >= 1;
    });
  document.addEventListener("keyup", ({ key }) => {
    const part = document.activeElement;
    if (key !== "Tab" || !part || part === document.body || walk.reached.has(part)) return;
    walk.reached.add(part);
    if (!isMarked(part)) walk.faults.push(`${nameOf(part)} does not show that it has the focus`);
    const { left, top, width, height } = part.getBoundingClientRect();
    const [x, y] = [left + width / 2, top + height / 2];
    if (height > window.innerHeight / 2) return; // a region that scrolls
    const above = document.elementFromPoint(x, y);
    if (y < 0 || y > window.innerHeight)
      walk.faults.push(`${nameOf(part)} has the focus outside of the window`);
    else if (above && !part.contains(above) && !above.contains(part) && !above.closest("label"))
      if (getComputedStyle(part).opacity !== "0" && !around(part).includes(above))
        walk.faults.push(`${nameOf(part)} has the focus under ${nameOf(above)}`);
  });
  (document.activeElement as HTMLElement | null)?.blur();
  return known.size;
}

function endWalk(selector: string): { faults: string[]; isNewUnreached: boolean } {
  const { known, reached, faults } = window.keyboardWalk;
  let isNewUnreached = false;
  for (const part of document.querySelectorAll<HTMLElement>(selector)) {
    if (
      reached.has(part) ||
      part.tabIndex < 0 ||
      !part.checkVisibility({ visibilityProperty: true })
    )
      continue;
    // Arrow keys lead from the reached one of a group to the others.
    if (part instanceof HTMLInputElement && part.type === "radio") continue;
    const name = part.getAttribute("aria-label") ?? part.textContent ?? part.getAttribute("name");
    faults.push(`${part.localName} "${name}" is not reached`);
    isNewUnreached ||= !known.has(part);
  }
  return { faults: [...new Set(faults)], isNewUnreached };
}

/**
 * Press every kind of button with Enter, while the server refuses writes. If it opens a dialog, focus stays
 * inside, Escape closes it, and the button has focus again. The dialog has no accessibility barriers, and
 * none of its fields makes an iPhone zoom in.
 */
export async function dialogFaults(page: Page): Promise<string[]> {
  const faults: string[] = [];
  const address = page.url();
  await page.route("**/*", async (route) => {
    const isWrite = !["GET", "HEAD"].includes(route.request().method());
    if (!isWrite) return await route.fallback();
    const refusal = { success: false, object: null, message: "Not now." };
    await route.fulfill({ status: 409, json: refusal });
  });
  const pressed = new Set<string>();
  for (;;) {
    const name = await page.evaluate(focusButton, [...pressed]);
    if (name === null) break;
    pressed.add(name);
    await page.keyboard.press("Enter");
    await page.waitForLoadState("networkidle");
    await page.evaluate(twoFrames); // which wait while an alert of a refusal is open
    const isOpen = (await page.locator("dialog[open]").count()) > 0;
    if (isOpen) faults.push(...(await faultsOfDialog(page, name)));
    else await page.keyboard.press("Escape");
    if (page.url() === address && (await page.locator("dialog[open]").count()) === 0) continue;
    await page.evaluate(twoFrames);
    await page.goto(address);
    await page.waitForLoadState("networkidle");
  }
  return faults;
}

/** Focus a button of a kind not yet pressed. Returns its kind. */
function focusButton(pressed: string[]): string | null {
  for (const button of document.querySelectorAll<HTMLElement>("button:not(:disabled)")) {
    const words = button.getAttribute("aria-label") ?? button.textContent ?? "";
    const kind = words
      .replaceAll(/[\d$.,/]+/g, "")
      .trim()
      .split(/\s+/)
      .slice(0, 2)
      .join(" ");
    const isSeen = button.tabIndex >= 0 && button.checkVisibility({ visibilityProperty: true });
    if (!isSeen || pressed.includes(kind)) continue;
    button.focus();
    button.dataset["pressed"] = "";
    return kind;
  }
  return null;
}

/** What is wrong with an open dialog on a phone. */
async function onPhone(page: Page): Promise<string[]> {
  const before = page.viewportSize();
  await page.setViewportSize({ width: 375, height: 740 });
  await page.evaluate(twoFrames);
  const faults = await page.evaluate(smallFields);
  if (before) await page.setViewportSize(before);
  return faults;
}

async function faultsOfDialog(page: Page, opener: string): Promise<string[]> {
  const faults: string[] = [];
  const isInside = () =>
    page.evaluate(() => {
      const { activeElement } = document;
      const open = [...document.querySelectorAll("dialog[open]")].at(-1);
      return activeElement === document.body || open?.contains(activeElement) === true;
    });
  if (!(await isInside())) faults.push(`"${opener}": the dialog does not take the focus`);
  const barriers = await barriersOf(page, { inDark: true });
  faults.push(...barriers.map((barrier) => `"${opener}": ${barrier}`), ...(await onPhone(page)));
  const count = await page.locator("dialog[open]").last().locator(controls).count();
  for (let press = 0; press < Math.min(count + 2, 60); press += 1) {
    await page.keyboard.press("Tab");
    if (!(await isInside())) faults.push(`"${opener}": the dialog lets the focus out`);
  }
  for (let tries = 0; tries < 3 && (await page.locator("dialog[open]").count()) > 0; tries += 1)
    await page.keyboard.press("Escape");
  if ((await page.locator("dialog[open]").count()) > 0) {
    faults.push(`"${opener}": Escape does not close the dialog`);
    return faults;
  }
  const isBack = await page.evaluate(() => {
    const { activeElement } = document;
    return activeElement instanceof HTMLElement && activeElement.dataset["pressed"] !== undefined;
  });
  if (!isBack) faults.push(`"${opener}": the focus does not come back`);
  return faults;
}
