import { confirmDiscard, hasUnsavedChanges, hasUnsavedDialog } from "#kit/web/unsaved-changes.tsx";

/** The current screen, and its index in the browser's history. */
let currentScreen = { path: "", index: NaN };

/** The index that the router stores in each history entry. */
function indexIn(state: unknown): number {
  const isOurs = typeof state === "object" && state !== null && "idx" in state;
  return isOurs && typeof state.idx === "number" ? state.idx : NaN;
}

export function setCurrentScreen(path: string): void {
  currentScreen = { path, index: indexIn(window.history.state) };
}

/**
 * From now on, ask before a link, the back button or closing the tab loses unsaved input. Changes of the address on
 * the same screen, such as a filter's, lose nothing. Call it before the router is rendered: browsers call
 * `popstate` listeners in the order added.
 */
export function guardNavigation(): void {
  document.addEventListener("click", askBeforeLink, { capture: true });
  window.addEventListener("popstate", askBeforeGoingBack());
  window.addEventListener("beforeunload", askBeforeUnloading);
}

/** In the capture phase, before the router follows the link. */
function askBeforeLink(event: MouseEvent): void {
  const link = event.target instanceof Element ? event.target.closest("a") : null;
  if (!link || !leavesScreen(link, event) || !hasUnsavedChanges()) return;
  event.preventDefault();
  event.stopPropagation();
  confirmDiscard(() => link.click());
}

/** Other sites, downloads and other tabs are left to the browser, which asks itself. */
function leavesScreen(link: HTMLAnchorElement, event: MouseEvent): boolean {
  const opensElsewhere = event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0;
  if (opensElsewhere || link.target !== "" || link.hasAttribute("download")) return false;
  return link.origin === window.location.origin && link.pathname !== window.location.pathname;
}

/** `popstate` comes after the browser has gone back: return first, then ask, then go back again. */
function askBeforeGoingBack(): (event: PopStateEvent) => void {
  let isReturning = false;
  return (event) => {
    const steps = indexIn(event.state) - currentScreen.index;
    const isLeaving = window.location.pathname !== currentScreen.path || hasUnsavedDialog();
    if (isReturning) {
      isReturning = false;
      event.stopImmediatePropagation();
    } else if (hasUnsavedChanges() && isLeaving && Math.abs(steps) > 0) {
      isReturning = true;
      event.stopImmediatePropagation();
      window.history.go(-steps);
      confirmDiscard(() => window.history.go(steps));
    }
  };
}

/** The browser shows its own text; pages cannot set it. */
function askBeforeUnloading(event: BeforeUnloadEvent): void {
  if (hasUnsavedChanges()) event.preventDefault();
}
