import { lookup as lookUp } from "node:dns";
import { BlockList, isIP, type LookupFunction } from "node:net";

/*
 * Whether an address is anybody's on the internet, by the registries of special-purpose addresses
 * (RFC 6890 and its successors). Of IPv6 only global unicast is, without what holds an IPv4 address
 * inside: where such a tunnel ends is not for us to know.
 */

const notPublic = new BlockList();
for (const [network, prefix] of [
  ["0.0.0.0", 8], // this host
  ["10.0.0.0", 8], // private
  ["100.64.0.0", 10], // carrier-grade NAT
  ["127.0.0.0", 8], // loopback
  ["169.254.0.0", 16], // link-local, where clouds answer questions about a machine
  ["172.16.0.0", 12], // private
  ["192.0.0.0", 24], // protocol assignments
  ["192.0.2.0", 24], // documentation
  ["192.88.99.0", 24], // 6to4 relays
  ["192.168.0.0", 16], // private
  ["198.18.0.0", 15], // benchmarks
  ["198.51.100.0", 24], // documentation
  ["203.0.113.0", 24], // documentation
  ["224.0.0.0", 4], // multicast
  ["240.0.0.0", 4], // reserved, and broadcast
] as const)
  notPublic.addSubnet(network, prefix, "ipv4");
for (const [network, prefix] of [
  ["2001::", 23], // protocol assignments, with Teredo
  ["2001:db8::", 32], // documentation
  ["2002::", 16], // 6to4
  ["3fff::", 20], // documentation
] as const)
  notPublic.addSubnet(network, prefix, "ipv6");

/** Leaves out loopback, mapped IPv4, NAT64, unique local, link-local and multicast addresses. */
const globalUnicast = new BlockList();
globalUnicast.addSubnet("2000::", 3, "ipv6");

/** Whether an IP address is one that webhooks may be posted to. */
export function isPublicAddress(address: string): boolean {
  const version = isIP(address);
  if (version === 4) return !notPublic.check(address, "ipv4");
  if (version !== 6 || address.includes("%")) return false; // a zone is of this machine's networks
  return globalUnicast.check(address, "ipv6") && !notPublic.check(address, "ipv6");
}

/** Which addresses may be connected to, and how names become addresses. Tests pass their own. */
export interface Reach {
  isAllowed: (address: string) => boolean;
  resolve: LookupFunction;
  /** Plain HTTP, without TLS. */
  allowsHttp: boolean;
  /** A name is refused no sooner: how long its lookup took would tell names of our own network from others. */
  refusesAfterMs: number;
}

/** What the product does; there is no setting for another. */
export const internetOnly: Reach = {
  isAllowed: isPublicAddress,
  resolve: lookUp,
  allowsHttp: false,
  refusesAfterMs: 1000,
};

export class AddressRefused extends Error {}

/** Of an address and of a name, of an unknown one and a known one alike: nobody learns names of our own network. */
export const notPublicSentence =
  "Its address is not public: the name is not known, or belongs to a private network.";

/** The host of a URL where it is an address itself, without the brackets of IPv6; null for a name. */
export function addressIn({ hostname }: URL): string | null {
  const bare = hostname.replace(/^\[(.*)\]$/, "$1");
  return isIP(bare) === 0 ? null : bare;
}

/**
 * A `lookup` for a connection that is about to be made: it answers what the name was resolved to just
 * now, and fails with `AddressRefused` where it is not known, or any of that is not allowed. The socket connects
 * to these addresses and asks no second time, so a name cannot lead elsewhere in between. Not called for an
 * address: `addressIn`.
 */
export function lookupWithin({ isAllowed, resolve, refusesAfterMs }: Reach): LookupFunction {
  return (hostname, options, answer) => {
    const begun = performance.now();
    resolve(hostname, { ...options, all: true }, (problem, found) => {
      const addresses = !problem && Array.isArray(found) ? found : [];
      const [first] = addresses;
      if (!first || !addresses.every(({ address }) => isAllowed(address))) {
        const refuse = () => answer(new AddressRefused(notPublicSentence), []);
        setTimeout(refuse, Math.max(0, begun + refusesAfterMs - performance.now()));
      } else if (options.all) answer(null, addresses);
      else answer(null, first.address, first.family);
    });
  };
}
