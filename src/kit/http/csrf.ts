import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { cookieName } from "#kit/http/cookie-names.ts";

/** The name of the cookie that ties pages before sign-in to one browser. */
export const visitorCookieName = (isSecure: boolean): string => cookieName("visitor", isSecure);

/** A new visitor's secret, for the CSRF tokens of pages before sign-in. */
export function newVisitorSecret(): string {
  return randomBytes(24).toString("base64url");
}

/** What a CSRF token is tied to: the session, or the visitor's cookie before sign-in. */
export interface CsrfOwner {
  sessionToken: string | null;
  visitorSecret: string | undefined;
}

/** The token for a page rendered for this browser. */
export function csrfToken(owner: CsrfOwner, secret: string): string {
  return owner.sessionToken
    ? sign(`session:${owner.sessionToken}`, secret)
    : sign(`visitor:${owner.visitorSecret ?? ""}`, secret);
}

/** Whether a token was issued to this browser, before or after sign-in. */
export function isCsrfToken(token: unknown, owner: CsrfOwner, secret: string): boolean {
  if (typeof token !== "string") return false;
  const accepted = [
    owner.sessionToken && sign(`session:${owner.sessionToken}`, secret),
    owner.visitorSecret && sign(`visitor:${owner.visitorSecret}`, secret),
  ];
  return accepted.some((expected) => expected && equal(expected, token));
}

function sign(text: string, secret: string): string {
  return createHmac("sha256", secret).update(`csrf:${text}`).digest("base64url");
}

function equal(expected: string, given: string): boolean {
  const [a, b] = [Buffer.from(expected), Buffer.from(given)];
  return a.length === b.length && timingSafeEqual(a, b);
}
