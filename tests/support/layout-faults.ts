import type { Page } from "playwright-core";

/**
 * Layout faults in a window of this width. The page is resized a frame or more later, so only faults that
 * persist count.
 */
export async function misfitsAt(page: Page, width: number): Promise<string[]> {
  await page.setViewportSize({ width, height: 900 });
  let found: string[] = [];
  for (let look = 0; look < 20; look += 1) {
    await page.evaluate(twoFrames);
    found = [
      ...(await page.evaluate(misfits)),
      ...(width <= phoneWidth ? await page.evaluate(smallFields) : []),
    ];
    if (found.length === 0) return [];
  }
  return found.map((fault) => `${width} px: ${fault}`);
}

/** The widest phones, which have the phone layout. */
const phoneWidth = 720;

/**
 * In the page and its open dialogs: fields with text below 16 px. An iPhone zooms into them when they are
 * focused, and does not zoom out again.
 */
export function smallFields(): string[] {
  const typed =
    "input:not([type=checkbox], [type=radio], [type=file], [type=hidden]), select, textarea";
  return [...document.querySelectorAll<HTMLElement>(typed)].flatMap((field) => {
    const size = getComputedStyle(field).fontSize;
    if (Number.parseFloat(size) >= 16 || !field.checkVisibility()) return [];
    const name = field.getAttribute("aria-label") ?? field.closest("label, div")?.textContent;
    return [`the field "${name}" has text of ${size}`];
  });
}

/** In the page: resolves once pending drawing is done. */
export const twoFrames = () =>
  new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));

/**
 * In the page: what is wider than the window, text outside its table cell, cut-off text of controls, and
 * controls covered by something else.
 */
function misfits(): string[] {
  const faults: string[] = [];
  const { scrollWidth, clientWidth } = document.documentElement;
  if (scrollWidth > clientWidth) faults.push(`the page is ${scrollWidth} px wide`);
  const header = document.querySelector<HTMLElement>("header");
  if (header && header.offsetHeight > 100) faults.push("the links take more than two rows");
  const main = document.querySelector("main");
  const end = main
    ? main.getBoundingClientRect().right - Number.parseFloat(getComputedStyle(main).paddingRight)
    : Infinity;
  for (const table of document.querySelectorAll("main table"))
    if (table.getBoundingClientRect().right > end + 1)
      faults.push("a table is wider than the page's column");
  const isForReadersAlone = (part: Element | null): boolean => {
    for (let around = part; around; around = around.parentElement)
      if (getComputedStyle(around).clipPath !== "none") return true;
    return false;
  };
  for (const part of document.querySelectorAll("main *:not(input, textarea, svg, svg *)"))
    if (part.scrollWidth > part.clientWidth + 1 && getComputedStyle(part).overflowX !== "visible")
      if (!isForReadersAlone(part))
        faults.push(`"${part.textContent}" is cut off or must be scrolled`);
  for (const cell of document.querySelectorAll("main :is(th, td), button, a, label, h1, h2, h3")) {
    const { display } = getComputedStyle(cell);
    if (display === "inline") continue;
    // Without a box of its own its text is laid out in its row.
    const frame = (
      display === "contents" ? (cell.closest("tr") ?? cell) : cell
    ).getBoundingClientRect();
    const texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      const text = texts.currentNode;
      const words = document.createRange();
      words.selectNodeContents(text);
      const { left, right, width } = words.getBoundingClientRect();
      if (width === 0 || (left >= frame.left - 1 && right <= frame.right + 1)) continue;
      if (isForReadersAlone(text.parentElement)) continue;
      faults.push(`"${text.textContent}" is outside its ${cell.localName}`);
    }
  }
  const controls = "a[href], button, input:not([type=hidden]), select, textarea";
  for (const control of document.querySelectorAll(controls)) {
    const { left, top, width, height } = control.getBoundingClientRect();
    const [x, y] = [left + width / 2, top + height / 2];
    if (width === 0 || y < 0 || y >= window.innerHeight || isForReadersAlone(control)) continue;
    if (!control.checkVisibility()) continue; // inside a closed part
    const style = getComputedStyle(control);
    if (style.opacity === "0" || style.visibility === "hidden" || style.pointerEvents === "none")
      continue;
    const above = document.elementFromPoint(x, y);
    if (!above || control.contains(above) || above.contains(control)) continue;
    // The middle of an inline link's box may be between two lines.
    if (style.display === "inline" && control.getClientRects().length > 1) continue;
    if (above.closest("label")?.contains(control)) continue;
    const stays = (part: Element | null): boolean => {
      for (let around = part; around; around = around.parentElement)
        if (["sticky", "fixed"].includes(getComputedStyle(around).position)) return true;
      return false;
    };
    if (stays(above) && !stays(control)) continue; // it can be scrolled into view
    const words = control.textContent || control.getAttribute("aria-label") || control.localName;
    faults.push(
      `"${words}" at ${Math.round(left)}, ${Math.round(top)}, ${Math.round(width)} by ${Math.round(height)} is covered by ${above.localName} "${above.textContent?.slice(0, 60)}"`,
    );
  }
  return faults;
}
