import { hasUnsavedChanges } from "#web/unsaved-changes.tsx";

let signInHere: (() => void) | null = null;

/** Sets the dialog with which the user signs in on this page, where leaving would lose unsaved input. */
export function onSessionEnd(askToSignIn: () => void): () => void {
  signInHere = askToSignIn;
  return () => {
    if (signInHere === askToSignIn) signInHere = null;
  };
}

let signingOut = false;

/** While the user signs out, and after: the next to sign in here starts at the first page. */
export function setSigningOut(now: boolean): void {
  signingOut = now;
}

/**
 * The session has ended: go to the sign-in page, which leads back here afterwards; or stay and sign in
 * by a dialog, where that would lose unsaved input.
 */
export function redirectToSignIn(): void {
  const { pathname, search } = window.location;
  if (pathname.startsWith("/sign-in")) return;
  if (signInHere && !signingOut && hasUnsavedChanges()) {
    signInHere();
    return;
  }
  if (signingOut) {
    window.location.assign("/sign-in"); // what was asked meanwhile is refused, and leads nowhere else
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
  // Resolving dots may have made an address of another site of it.
  const isPath = !address.pathname.startsWith("//");
  return isHere && isPath && !address.pathname.startsWith("/sign-in")
    ? address.pathname + address.search
    : "/";
}
