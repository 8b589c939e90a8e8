const key = "reloaded-for-new-version";
const onceInMs = 60_000;

/**
 * After a new version has been installed, screens that a page of the old one has not loaded yet are
 * gone: reload the page, once a minute at most, lest a server in trouble is asked forever.
 */
export function reloadForNewVersion(): void {
  window.addEventListener("vite:preloadError", (event) => {
    const reloadedAt = Number(sessionStorage.getItem(key) ?? 0);
    if (Date.now() - reloadedAt < onceInMs) return;
    event.preventDefault();
    sessionStorage.setItem(key, String(Date.now()));
    window.location.reload();
  });
}
