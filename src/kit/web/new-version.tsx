import { isServerReachable } from "#kit/web/server-status.tsx";
import { hasUnsavedChanges } from "#kit/web/unsaved-changes.tsx";

const key = "reloaded-for-new-version";
const reloadIntervalMs = 60_000;

/**
 * Reload the page because its code could not be loaded: a new version's installation removes the old files. It is
 * not reloaded while the server is unreachable (the browser would show its own error page), while there is unsaved
 * input, or if it was reloaded within a minute and the server has been reachable since (so that a faulty server is
 * not asked forever). If the page stays, answers whether the server is reachable.
 */
export async function reloadUnlessUnreachable({
  wasAway,
}: {
  wasAway: boolean;
}): Promise<"away" | "there"> {
  if (!(await isServerReachable())) return "away";
  const reloadedAt = Number(sessionStorage.getItem(key) ?? 0);
  if (hasUnsavedChanges() || (!wasAway && Date.now() - reloadedAt < reloadIntervalMs))
    return "there";
  sessionStorage.setItem(key, String(Date.now()));
  window.location.reload();
  return await new Promise<never>(() => undefined); // the page is being replaced
}

/**
 * Remove a stylesheet that could not be loaded, so that the next attempt requests it again: Vite treats any
 * stylesheet link in the page as loaded.
 */
export function removeFailedStylesheets(): void {
  const remove = ({ target }: Event) => {
    if (target instanceof HTMLLinkElement && target.rel === "stylesheet") target.remove();
  };
  document.addEventListener("error", remove, { capture: true });
}
