import { expect, test } from "vitest";
import { ipRateLimitKey } from "#http/ip-rate-limit-key.ts";

test.each([
  ["203.0.113.9", "203.0.113.9"],
  ["::ffff:203.0.113.9", "203.0.113.9"],
  ["::FFFF:cb00:7109", "203.0.113.9"],
  ["::1", "0:0:0:0::/64"],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
  ["2001:0DB8:0001:0002::9", "2001:db8:1:2::/64"],
  ["2001:db8::9", "2001:db8:0:0::/64"],
  ["2001:db8:1:2::", "2001:db8:1:2::/64"],
  ["1::2:3:4:5:6:7", "1:0:2:3::/64"],
  ["64:ff9b::203.0.113.9", "64:ff9b:0:0::/64"],
  ["fe80::1%eth0", "fe80:0:0:0::/64"],
  ["not an address", "not an address"],
  ["", ""],
  ["x".repeat(1000), "x".repeat(100)],
])("%s is counted as %s", (address, counted) => {
  expect(ipRateLimitKey(address)).toBe(counted);
});
