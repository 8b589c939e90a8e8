/** Leave the app for the sign-in page, which leads back here afterwards. */
export function leaveForSignIn(): void {
  const { pathname, search } = window.location;
  if (pathname.startsWith("/sign-in")) return;
  window.location.assign(`/sign-in?next=${encodeURIComponent(pathname + search)}`);
}

/**
 * Where to go after signing in: a path of this site, never the address of another one
 * (`//elsewhere.example`, `/\elsewhere.example`).
 */
export function pathAfterSignIn(next: string | null): string {
  if (!next?.startsWith("/")) return "/";
  const address = new URL(next, window.location.origin);
  const isHere = address.origin === window.location.origin;
  return isHere && !address.pathname.startsWith("/sign-in")
    ? address.pathname + address.search
    : "/";
}
