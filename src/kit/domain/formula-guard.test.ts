import * as fc from "fast-check";
import { expect, test } from "vitest";
import { guarded, unguarded } from "#kit/domain/formula-guard.ts";

const texts = fc.string({
  unit: fc.constantFrom("'", '"', ";", "=", "-", "@", "\t", "\n", "a", " "),
});

test.each([
  ["=1+1", "'=1+1"],
  ["a;=1", "a;'=1"],
  ['a;"@x', `a;'"@x`],
  ["a\n-b", "a\n'-b"],
  ["'=1", "''=1"],
  ["O'Brien", "O'Brien"],
  ["'tis", "'tis"],
])("%j is written %j", (text, written) => {
  expect(guarded(text)).toBe(written);
});

test("only the added apostrophe is removed again", () => {
  fc.assert(
    fc.property(texts, (text) => {
      expect(unguarded(guarded(text))).toBe(text);
    }),
  );
});

test("no cell begins like a formula", () => {
  fc.assert(
    fc.property(texts, (text) => {
      const [first, ...others] = guarded(text).split(/[;\n]/);
      expect(first).not.toMatch(/^[=+\-@\t]/);
      for (const cell of others) expect(cell).not.toMatch(/^"*[=+\-@\t]/);
    }),
  );
});
