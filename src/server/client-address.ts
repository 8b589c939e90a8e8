import { isIPv6 } from "node:net";

/**
 * By what callers are counted: an IPv4 address as it is, an IPv6 address by its first 64 bits, since
 * one customer of a provider has all addresses of a /64 and can call from each. An IPv4 address that
 * is written as IPv6 (::ffff:192.0.2.1) is the IPv4 address.
 */
export function callerKey(address: string): string {
  const bare = address.replace(/%.*$/, "").toLowerCase();
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(bare)?.[1];
  if (mapped) return mapped;
  return isIPv6(bare) ? `${groupsOf(bare).slice(0, 4).join(":")}::/64` : bare;
}

/** The eight groups of an IPv6 address, without leading zeros. */
function groupsOf(address: string): string[] {
  const [before = [], after] = address.split("::").map(partsOf);
  if (after === undefined) return [...before];
  const left = Math.max(0, 8 - before.length - after.length);
  return [...before, ...Array.from({ length: left }, () => "0"), ...after];
}

/** A last part in dots stands for two groups. */
function partsOf(text: string): string[] {
  if (text === "") return [];
  return text
    .split(":")
    .flatMap((part) =>
      part.includes(".") ? ["0", "0"] : [Number.parseInt(part, 16).toString(16)],
    );
}
