import * as fc from "fast-check";
import { anyCodePoint } from "#tests/support/any-code-point.ts";

/*
   Values that break programs: as JSON texts, since JavaScript cannot express some of them, and as parts of
   addresses.
*/

/** Names that every JavaScript object already has. */
export const prototypeNames = [
  "__proto__",
  "constructor",
  "prototype",
  "toString",
  "hasOwnProperty",
];

/** Card numbers, as people write them: none may ever be in the log. */
export const cardNumbers = [
  "4111111111111111",
  "4111 1111 1111 1111",
  "5555-5555-5555-4444",
  "378282246310005",
];

const oddTexts = [
  "",
  " ",
  "\u0000",
  "a\u0000b",
  "\u0007\u001b[2J",
  "\ud800",
  "\udc00\ud800",
  "\u202eabc",
  "\ufeff",
  "\u2028\u2029",
  "ﷺ".repeat(300),
  "😀".repeat(200),
  "e\u0301".repeat(150),
  "x".repeat(100_000),
  "1".repeat(400),
  "a\r\nSet-Cookie: a=b\r\n\r\n",
  '=HYPERLINK("http://evil.example")',
  "' or 1=1; drop table attorneys; --",
  "$1 \\ % _ ' \" ` ${7*7} {{7*7}} %s%n",
  "<script>alert(1)</script>",
  "../../etc/passwd",
  "//evil.example",
  "NaN",
  "Infinity",
  "-0",
  "1e5",
  "0x10",
  "1,000.00",
  "0.1",
  "2026-02-30",
  "99999-01-01",
  "0000-00-00",
  "infinity",
  "now",
  "null",
  "true",
  ...prototypeNames,
  ...cardNumbers,
];

const anyText = fc.oneof(
  fc.constantFrom(...oddTexts),
  fc.string({ unit: "grapheme", maxLength: 60 }),
  fc.string({ unit: anyCodePoint, maxLength: 60 }),
  fc.string({ unit: "binary-ascii", maxLength: 60 }),
  fc.string({ unit: "grapheme-ascii", minLength: 190, maxLength: 260 }),
);

const oddNumbers = fc.constantFrom(
  "0",
  "-0",
  "-1",
  "1.5",
  "1e2",
  "0.005",
  "1000000.01",
  "1e308",
  "1e999",
  "-1e999",
  "1e-400",
  "2147483648",
  "9007199254740993",
  "9223372036854775808",
  "9".repeat(400),
);

const nested = fc
  .record({ depth: fc.constantFrom(3, 100, 20_000), isList: fc.boolean() })
  .map(({ depth, isList }) =>
    isList
      ? `${"[".repeat(depth)}${"]".repeat(depth)}`
      : `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`,
  );

const oddValues = fc.constantFrom(
  "null",
  "true",
  "false",
  "[]",
  "[[]]",
  "[null]",
  "{}",
  '{"1":"1"}',
  '{"0":1}',
  '{"":""}',
  '{"1":1e999}',
  '{"999999999999999":"1"}',
  '{"1":{"1":{"1":1}}}',
  '{"then":"x"}',
  ...prototypeNames.map((name) => `{${JSON.stringify(name)}:{"isAdmin":true}}`),
  `[${Array.from({ length: 1001 }, (_, index) => index).join()}]`,
  `{${Array.from({ length: 1001 }, (_, index) => `"${index + 1}":"1"`).join()}}`,
);

/** Any JSON text. */
export const anyJson: fc.Arbitrary<string> = fc.oneof(
  { weight: 4, arbitrary: anyText.map((text) => JSON.stringify(text)) },
  { weight: 2, arbitrary: oddNumbers },
  { weight: 3, arbitrary: oddValues },
  { weight: 1, arbitrary: nested },
  { weight: 2, arbitrary: fc.json({ maxDepth: 4 }) },
);

/** A value for a query or path, already percent-encoded. */
export const anyEncoded: fc.Arbitrary<string> = fc.oneof(
  anyText.map((text) => encodeURIComponent(text.slice(0, 3_000).toWellFormed())),
  fc.constantFrom(
    "%00",
    "%0d%0aSet-Cookie:%20a=b",
    "%zz",
    "%",
    "%ff",
    "%c0%af",
    "%ed%a0%80",
    "%E0%A4%A",
    "%2e%2e%2f%2e%2e%2fpackage.json",
    "..%2f..%2fetc%2fpasswd",
    "1%2F2",
    "..",
    "%2e%2e",
    ".",
    "%252e%252e%252f",
    "%5c%5cevil.example",
    "1;a=b",
    "1%3Fa=b",
    "1%23",
    "+1",
    "1%20",
    "*",
    "0",
    "-1",
    "01",
    "1.5",
    "1e3",
    "9".repeat(15),
    "9".repeat(16),
    "9".repeat(300),
  ),
);
