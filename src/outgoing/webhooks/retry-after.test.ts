import { expect, test } from "vitest";
import { secondsToWait } from "#outgoing/webhooks/retry-after.ts";

const now = new Date("2026-11-26T08:00:00.500Z");

test.each([
  ["120", 120],
  [" 120 ", 120],
  ["0", 0],
  ["99999999999999999999", 1e20],
  ["Thu, 26 Nov 2026 08:02:00 GMT", 120],
  ["Thursday, 26-Nov-26 08:02:00 GMT", 120],
  ["Thu Nov 26 08:02:00 2026", 120],
  ["Thu, 26 Nov 2026 07:59:59 GMT", 0],
  ["", 0],
  ["soon", 0],
  ["-5", 0],
  ["1.5", 0],
  ["2026-11-26", 0],
  ["Thu, 99 Foo 2026 08:02:00 GMT", 0],
  [undefined, 0],
])("Retry-After %s means a wait of %d seconds", (header, seconds) => {
  expect(secondsToWait(header, now)).toBe(seconds);
});
