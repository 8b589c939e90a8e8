import { BlockList, isIP } from "node:net";

const loopback = new BlockList();
loopback.addSubnet("127.0.0.0", 8, "ipv4");
loopback.addAddress("::1", "ipv6");

/**
 * Whether an address or host name is this machine's own, so that no other machine reaches it. `localhost` is the
 * only such name: what others resolve to may change.
 */
export function isLoopback(host: string): boolean {
  const bare = host.replace(/^\[(.*)\]$/, "$1").toLowerCase();
  if (bare === "localhost") return true;
  const version = isIP(bare);
  return version !== 0 && loopback.check(bare, version === 6 ? "ipv6" : "ipv4");
}
