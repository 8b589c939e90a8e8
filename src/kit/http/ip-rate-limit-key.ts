import { isIPv4, isIPv6 } from "node:net";
import { normalizeIP } from "@better-auth/core/utils/ip";

/**
 * An address as some proxies write it into X-Forwarded-For, without its port and brackets: `192.0.2.7:51234`,
 * `[2001:db8::7]:51234`, `[2001:db8::7]` and `2001:db8:0:0:0:0:0:7:51234`. Any other text is returned unchanged.
 */
export function withoutPort(address: string): string {
  if (isIPv6(address)) return address;
  const bare = address.replace(/:\d{1,5}$/, "").replace(/^\[([^\]]*)\]$/, "$1");
  return isIPv4(bare) || isIPv6(bare) ? bare : address;
}

/**
 * The key for every rate limit by IP address. One IPv6 subscriber has at least 2^64 addresses, so all with the same
 * first 64 bits share a key: the first of them, in full. An IPv4 address is its own key, also when written as IPv6.
 * Text that is not an address, which a proxy may pass on, is cut to 100 characters. A port added by a proxy does
 * not count.
 */
export function ipRateLimitKey(addressAndPort: string): string {
  const [address = ""] = withoutPort(addressAndPort).split("%"); // fe80::1%eth0
  // Normalized, so that 0::ffff:192.0.2.7 counts as IPv4 and 2001:db8::ffff:192.0.2.7 as IPv6.
  const written = isIPv6(address) ? new URL(`http://[${address}]`).hostname.slice(1, -1) : address;
  return normalizeIP(written, { ipv6Subnet: 64 }).slice(0, 100);
}
