let askWhoIsThere: (() => void) | null = null;

/** Sets how the page finds out who is signed in when it may have lost its session. It is hidden until then. */
export function onSessionRecheck(ask: () => void): () => void {
  askWhoIsThere = ask;
  return () => {
    if (askWhoIsThere === ask) askWhoIsThere = null;
  };
}

/** The session has ended or belongs to someone else. Hide the page until it is known who is signed in. */
export function recheckSession(): void {
  if (askWhoIsThere && !signingOut) askWhoIsThere();
  else redirectToSignIn();
}

let signingOut = false;

/** During and after sign-out: the next user starts at the first page. */
export function setSigningOut(now: boolean): void {
  signingOut = now;
}

/** Whether the open page is for signing in. It shows nothing of an account. */
export const isSignInPage = (): boolean => window.location.pathname.startsWith("/sign-in");

/** The session has ended: go to the sign-in page, which leads back here afterwards. */
export function redirectToSignIn(): void {
  const { pathname, search } = window.location;
  if (isSignInPage()) return;
  if (signingOut) {
    window.location.assign("/sign-in"); // a refused request from before sign-out must not lead elsewhere
    return;
  }
  window.location.assign(`/sign-in?next=${encodeURIComponent(pathname + search)}`);
}

/**
 * Where to go after signing in: a path of this site, never another site's address (`//elsewhere.example`,
 * `/\elsewhere.example`, `/.//elsewhere.example`).
 */
export function pathAfterSignIn(next: string | null): string {
  if (!next?.startsWith("/") || !URL.canParse(next, window.location.origin)) return "/";
  const address = new URL(next, window.location.origin);
  const isHere = address.origin === window.location.origin;
  // Resolving dots may have produced another site's address.
  const isPath = !address.pathname.startsWith("//");
  return isHere && isPath && !address.pathname.startsWith("/sign-in")
    ? address.pathname + address.search
    : "/";
}
