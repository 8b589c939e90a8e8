import { hasUnsaved } from "#web/unsaved-changes.tsx";

let signInHere: (() => void) | null = null;

/** Have whoever is using this page sign in on it, where leaving would lose what was entered. */
export function whenSessionEnds(askToSignIn: () => void): () => void {
  signInHere = askToSignIn;
  return () => {
    if (signInHere === askToSignIn) signInHere = null;
  };
}

/**
 * The session has ended: leave the app for the sign-in page, which leads back here afterwards; or
 * stay, where that would lose what was entered.
 */
export function leaveForSignIn(): void {
  const { pathname, search } = window.location;
  if (pathname.startsWith("/sign-in")) return;
  if (signInHere && hasUnsaved()) {
    signInHere();
    return;
  }
  window.location.assign(`/sign-in?next=${encodeURIComponent(pathname + search)}`);
}

/**
 * Where to go after signing in: a path of this site, never the address of another one
 * (`//elsewhere.example`, `/\elsewhere.example`, `/.//elsewhere.example`).
 */
export function pathAfterSignIn(next: string | null): string {
  if (!next?.startsWith("/") || !URL.canParse(next, window.location.origin)) return "/";
  const address = new URL(next, window.location.origin);
  const isHere = address.origin === window.location.origin;
  // What was no other site's address may have become one once its dots were resolved.
  const isPath = !address.pathname.startsWith("//");
  return isHere && isPath && !address.pathname.startsWith("/sign-in")
    ? address.pathname + address.search
    : "/";
}
