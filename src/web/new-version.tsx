import { isServerThere } from "#web/server-status.tsx";
import { hasUnsaved } from "#web/unsaved-changes.tsx";

const key = "reloaded-for-new-version";
const onceInMs = 60_000;

/**
 * Code that did not come comes with the page when that is loaded anew: after a new version has been
 * installed, what a page of the old one has not loaded yet is gone. So reload the page, unless the
 * server is away, where the browser would show its own error page instead; or something was entered
 * that nobody has saved; or it was reloaded within a minute and the server has been there since,
 * lest one in trouble is asked forever. Answers, where the page stays, how the server stands.
 */
export async function reloadUnlessAway({
  wasAway,
}: {
  wasAway: boolean;
}): Promise<"away" | "there"> {
  if (!(await isServerThere())) return "away";
  const reloadedAt = Number(sessionStorage.getItem(key) ?? 0);
  if (hasUnsaved() || (!wasAway && Date.now() - reloadedAt < onceInMs)) return "there";
  sessionStorage.setItem(key, String(Date.now()));
  window.location.reload();
  return await new Promise<never>(() => undefined); // the page is leaving
}

/**
 * A stylesheet that could not be loaded is taken away, so that the next attempt to show its screen
 * asks for it again: Vite believes that one which stands in the page has come.
 */
export function forgetFailedStyles(): void {
  const forget = ({ target }: Event) => {
    if (target instanceof HTMLLinkElement && target.rel === "stylesheet") target.remove();
  };
  document.addEventListener("error", forget, { capture: true });
}
