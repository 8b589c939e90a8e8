import { isIPv4, isIPv6 } from "node:net";

/**
 * An address as some proxies write it into X-Forwarded-For, without its port and brackets:
 * `192.0.2.7:51234`, `[2001:db8::7]:51234`, `[2001:db8::7]` and `2001:db8:0:0:0:0:0:7:51234`. Any other text comes
 * back as it is.
 */
export function withoutPort(address: string): string {
  if (isIPv6(address)) return address;
  const bare = address.replace(/:\d{1,5}$/, "").replace(/^\[([^\]]*)\]$/, "$1");
  return isIPv4(bare) || isIPv6(bare) ? bare : address;
}

/**
 * The key by which requests are counted wherever they are limited by IP address. One IPv6 subscriber
 * has at least 2^64 addresses, so all with the same first 64 bits share a key: `2001:db8:1:2::/64`.
 * An IPv4 address is its own key, also when written as IPv6. Text that is no address, which a proxy
 * may pass on, is cut to 100 characters. The port that a proxy adds does not count.
 */
export function ipRateLimitKey(addressAndPort: string): string {
  const address = withoutPort(addressAndPort);
  const [bare = ""] = address.split("%"); // fe80::1%eth0
  if (!isIPv6(bare)) return address.slice(0, 100);
  const groups = groupsOf(bare);
  const [high = 0, low = 0] = groups.slice(6);
  const isMapped = groups.slice(0, 6).join() === "0,0,0,0,0,65535";
  if (isMapped) return [high >> 8, high & 255, low >> 8, low & 255].join(".");
  const network = groups.slice(0, 4).map((group) => group.toString(16));
  return `${network.join(":")}::/64`;
}

/** The eight groups of an IPv6 address. A URL's host has it without dotted decimals, shortened by `::` once. */
function groupsOf(address: string): number[] {
  const normalized = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [before = [], after] = normalized
    .split("::")
    .map((half) => half.split(":").filter((group) => group !== ""));
  const left = 8 - before.length - (after?.length ?? 0);
  const zeros = after ? Array<string>(left).fill("0") : [];
  return [...before, ...zeros, ...(after ?? [])].map((group) => Number.parseInt(group, 16));
}
