/**
 * The name of one of our cookies. Over TLS it begins with `__Host-`: browsers then accept it only with Secure, for
 * `/`, and without a Domain, so that no other host of the domain can set or overwrite it. Plain HTTP, which is only
 * for this machine, has no such cookies.
 */
export function cookieName(
  name: "session_token" | "visitor" | "device",
  isSecure: boolean,
): string {
  return `${cookiePrefix(isSecure)}.${name}`;
}

/** The prefix of all our cookies, including the auth library's. */
export const cookiePrefix = (isSecure: boolean): string =>
  `${isSecure ? "__Host-" : ""}referral-network`;
