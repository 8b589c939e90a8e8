import { lookup as lookUp } from "node:dns";
import { BlockList, isIP, type LookupFunction } from "node:net";

/*
 * Whether an address is public, by the registries of special-purpose addresses (RFC 6890 and its successors).
 * For IPv6, only global unicast is public, without addresses that embed an IPv4 address: we cannot know where
 * such a tunnel ends.
 */

const notPublic = new BlockList();
for (const [network, prefix] of [
  ["0.0.0.0", 8], // this host
  ["10.0.0.0", 8], // private
  ["100.64.0.0", 10], // carrier-grade NAT
  ["127.0.0.0", 8], // loopback
  ["169.254.0.0", 16], // link-local, with the metadata services of clouds
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

/** Whether webhooks may be posted to an IP address. */
export function isPublicAddress(address: string): boolean {
  const version = isIP(address);
  if (version === 4) return !notPublic.check(address, "ipv4");
  if (version !== 6 || address.includes("%")) return false; // a zone names a network of this machine
  return globalUnicast.check(address, "ipv6") && !notPublic.check(address, "ipv6");
}

/** Which addresses are allowed and how names are resolved. Tests pass their own. */
export interface AddressPolicy {
  isAllowed: (address: string) => boolean;
  resolve: LookupFunction;
  /** Plain HTTP, without TLS. */
  allowsHttp: boolean;
  /** The earliest refusal of a name. The time of a lookup would otherwise reveal names of our own network. */
  refusesAfterMs: number;
}

/** The product's only rule; there is no setting. */
export const publicAddressesOnly: AddressPolicy = {
  isAllowed: isPublicAddress,
  resolve: lookUp,
  allowsHttp: false,
  refusesAfterMs: 1000,
};

export class AddressRefused extends Error {}

/** The same for private addresses, private names and unknown names, so that it reveals no names of our network. */
export const notPublicSentence =
  "The address is not public: its name is unknown or belongs to a private network.";

/** The host of a URL if it is an IP address, without the brackets of IPv6; null for a name. */
export function addressIn({ hostname }: URL): string | null {
  const bare = hostname.replace(/^\[(.*)\]$/, "$1");
  return isIP(bare) === 0 ? null : bare;
}

/**
 * A `lookup` for a new connection. It resolves the name and fails with `AddressRefused` if the name is unknown or any
 * of its addresses is not allowed. The socket connects to these addresses without a second lookup, so the name cannot
 * change in between. Not called for IP addresses; see `addressIn`.
 */
export function lookupWithin({
  isAllowed,
  resolve,
  refusesAfterMs,
}: AddressPolicy): LookupFunction {
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
