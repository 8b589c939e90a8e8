import { isIPv6 } from "node:net";

/**
 * What requests from an address are counted by, wherever they are limited by address. One subscriber
 * of IPv6 has at least 2^64 addresses, so those that agree in their first 64 bits count as one:
 * `2001:db8:1:2::/64`. An address of IPv4 counts for itself, however it is written. What is no
 * address, as a proxy may have passed it on, counts by its first 100 characters.
 */
export function countedAddress(address: string): string {
  const [bare = ""] = address.split("%"); // fe80::1%eth0
  if (!isIPv6(bare)) return address.slice(0, 100);
  const groups = groupsOf(bare);
  const [high = 0, low = 0] = groups.slice(6);
  const isIPv4 = groups.slice(0, 6).join() === "0,0,0,0,0,65535";
  if (isIPv4) return [high >> 8, high & 255, low >> 8, low & 255].join(".");
  const network = groups.slice(0, 4).map((group) => group.toString(16));
  return `${network.join(":")}::/64`;
}

/** The eight groups of an IPv6 address. A URL's host has it without dotted decimals, shortened by `::` once. */
function groupsOf(address: string): number[] {
  const written = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [before = [], after] = written
    .split("::")
    .map((half) => half.split(":").filter((group) => group !== ""));
  const left = 8 - before.length - (after?.length ?? 0);
  const zeros = after ? Array<string>(left).fill("0") : [];
  return [...before, ...zeros, ...(after ?? [])].map((group) => Number.parseInt(group, 16));
}
