/**
 * The name of one of our cookies. Over TLS it begins with `__Host-`: browsers then take it only with Secure,
 * for `/`, and without a Domain, so that no other host of the domain can set or overwrite it. Plain HTTP,
 * which is for this machine alone, has no such cookies.
 */
export function cookieName(
  name: "session_token" | "visitor" | "device",
  isSecure: boolean,
): string {
  return `${cookiePrefix(isSecure)}.${name}`;
}

/** What the names of all our cookies begin with, the auth library's too. */
export const cookiePrefix = (isSecure: boolean): string =>
  `${isSecure ? "__Host-" : ""}referral-network`;
