import { expect, test } from "vitest";
import { isLoopback } from "#kit/ops/loopback.ts";

test.each([
  "localhost",
  "LOCALHOST",
  "127.0.0.1",
  "127.0.0.2",
  "127.255.255.254",
  "::1",
  "[::1]",
  "0:0:0:0:0:0:0:1",
  "::ffff:127.0.0.1",
])("%s is this machine's own", (host) => {
  expect(isLoopback(host)).toBe(true);
});

test.each([
  "0.0.0.0",
  "::",
  "[::]",
  "128.0.0.1",
  "10.0.0.1",
  "192.168.1.5",
  "::ffff:10.0.0.1",
  "::2",
  "fe80::1",
  "localhost.example.org",
  "127.0.0.1.example.org",
  "dues.example",
  "127.1",
  "",
])("%s may be reached from other machines", (host) => {
  expect(isLoopback(host)).toBe(false);
});
