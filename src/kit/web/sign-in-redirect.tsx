let askWhoIsThere: (() => void) | null = null;

/** Sets how the page finds out who is there, veiled meanwhile, when it may have lost its session. */
export function onSessionDoubt(ask: () => void): () => void {
  askWhoIsThere = ask;
  return () => {
    if (askWhoIsThere === ask) askWhoIsThere = null;
  };
}

/** The session has ended, or is another person's: nothing of the page is shown until it is known who is there. */
export function doubtSession(): void {
  if (askWhoIsThere && !signingOut) askWhoIsThere();
  else redirectToSignIn();
}

let signingOut = false;

/** While the user signs out, and after: the next to sign in here starts at the first page. */
export function setSigningOut(now: boolean): void {
  signingOut = now;
}

/** Whether the open page is for signing in: it shows nothing of an account. */
export const isSignInPage = (): boolean => window.location.pathname.startsWith("/sign-in");

/** The session has ended: go to the sign-in page, which leads back here afterwards. */
export function redirectToSignIn(): void {
  const { pathname, search } = window.location;
  if (isSignInPage()) return;
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
