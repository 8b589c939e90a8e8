import { BlockList, isIP } from "node:net";

const loopback = new BlockList();
loopback.addSubnet("127.0.0.0", 8, "ipv4");
loopback.addAddress("::1", "ipv6");

/**
 * Whether an address or a host's name is this machine's own, so that nobody elsewhere reaches it. Of
 * names only `localhost` is: what others lead to may change.
 */
export function isLoopback(host: string): boolean {
  const bare = host.replace(/^\[(.*)\]$/, "$1").toLowerCase();
  if (bare === "localhost") return true;
  const version = isIP(bare);
  return version !== 0 && loopback.check(bare, version === 6 ? "ipv6" : "ipv4");
}
