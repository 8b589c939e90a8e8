import { askFirst, hasUnsaved, hasUnsavedDialog } from "#web/unsaved-changes.tsx";

/** The screen that is shown, and where it stands among those that the back button leads to. */
let shown = { path: "", index: NaN };

/** The browser keeps beside each address what the router wrote there: its place in the order. */
function indexIn(state: unknown): number {
  const isOurs = typeof state === "object" && state !== null && "idx" in state;
  return isOurs && typeof state.idx === "number" ? state.idx : NaN;
}

export function noteShownScreen(path: string): void {
  shown = { path, index: indexIn(window.history.state) };
}

/**
 * From now on, ask before a link, the back button or closing the tab loses what was entered and not
 * saved. Changes of the address that leave the screen standing, such as a filter's, lose nothing.
 * To be called before the router is rendered: browsers tell listeners of the back button in the order
 * in which they came.
 */
export function guardLeaving(): void {
  document.addEventListener("click", askBeforeLink, { capture: true });
  window.addEventListener("popstate", askBeforeGoingBack());
  window.addEventListener("beforeunload", askBeforeUnloading);
}

/** Before the router hears of it: it follows links on its own page by itself. */
function askBeforeLink(event: MouseEvent): void {
  const link = event.target instanceof Element ? event.target.closest("a") : null;
  if (!link || !leavesScreen(link, event) || !hasUnsaved()) return;
  event.preventDefault();
  event.stopPropagation();
  askFirst(() => link.click());
}

/** Other sites, downloads and other tabs are the browser's own affair, which asks by itself. */
function leavesScreen(link: HTMLAnchorElement, event: MouseEvent): boolean {
  const opensElsewhere = event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0;
  if (opensElsewhere || link.target !== "" || link.hasAttribute("download")) return false;
  return link.origin === window.location.origin && link.pathname !== window.location.pathname;
}

/** The browser has gone back already when it tells: return first, then ask, then go again. */
function askBeforeGoingBack(): (event: PopStateEvent) => void {
  let isReturning = false;
  return (event) => {
    const steps = indexIn(event.state) - shown.index;
    const isLeaving = window.location.pathname !== shown.path || hasUnsavedDialog();
    if (isReturning) {
      isReturning = false;
      event.stopImmediatePropagation();
    } else if (hasUnsaved() && isLeaving && Math.abs(steps) > 0) {
      isReturning = true;
      event.stopImmediatePropagation();
      window.history.go(-steps);
      askFirst(() => window.history.go(steps));
    }
  };
}

/** In the browser's own words: no page is given others. */
function askBeforeUnloading(event: BeforeUnloadEvent): void {
  if (hasUnsaved()) event.preventDefault();
}
