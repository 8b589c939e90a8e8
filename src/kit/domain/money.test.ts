import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  cents,
  centsFromDollars,
  cleanAmount,
  dollarsText,
  formatMoney,
  negated,
  runningTotal,
  sum,
} from "#kit/domain/money.ts";
import { anyCodePoint } from "#tests/support/any-code-point.ts";

const amounts = fc.integer({ min: -100_000_000_000, max: 100_000_000_000 }).map(cents);

describe("reading dollars", () => {
  test.each<[number | string, number]>([
    ["150", 15_000],
    ["150.5", 15_050],
    ["150.50", 15_050],
    [" 150.50 ", 15_050],
    [".5", 50],
    ["0", 0],
    ["0.00", 0],
    ["007.10", 710],
    ["-25.00", -2_500],
    ["1000000.00", 100_000_000],
    ["1000000.01", 100_000_001],
    [0.01, 1],
    [1.1, 110],
    [19.99, 1_999],
    [1_000_000, 100_000_000],
    [4_503_599_627.37, 450_359_962_737],
  ])("%s is %i cents", (dollars, expected) => {
    expect(centsFromDollars(dollars)).toBe(expected);
  });

  test.each<[number | string]>([
    [""],
    [" "],
    ["."],
    ["5."],
    ["-"],
    ["+5"],
    ["1.234"],
    ["0.001"],
    ["1,000.00"],
    ["$5"],
    ["1e3"],
    ["0x10"],
    ["five"],
    ["5 5"],
    ["--5"],
    ["٣"],
    ["１"],
    ["Infinity"],
    ["NaN"],
    ["1".repeat(14)],
    [1.005],
    [0.1 + 0.2],
    [1e21],
    [1e-7],
    [Number.NaN],
    [Number.POSITIVE_INFINITY],
  ])("%s is no amount: refused, never rounded", (dollars) => {
    expect(centsFromDollars(dollars)).toBeNull();
  });

  test("zero is never negative", () => {
    expect(Object.is(centsFromDollars("-0.00"), 0)).toBe(true);
    expect(Object.is(negated(cents(0)), 0)).toBe(true);
  });

  test("written amounts are read back, as text and as numbers", () => {
    fc.assert(
      fc.property(amounts, (amount) => {
        expect(centsFromDollars(dollarsText(amount))).toBe(amount);
        expect(centsFromDollars(Number(dollarsText(amount)))).toBe(amount);
      }),
    );
  });

  test("any third decimal is refused", () => {
    fc.assert(
      fc.property(amounts, fc.integer({ min: 1, max: 9 }), (amount, third) => {
        expect(centsFromDollars(`${dollarsText(amount)}${third}`)).toBeNull();
      }),
    );
  });

  test("no text throws", () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCodePoint }), (text) => {
        const amount = centsFromDollars(text);
        expect(amount === null || Number.isSafeInteger(amount)).toBe(true);
      }),
    );
  });
});

describe("writing dollars", () => {
  test.each([
    [0, "0.00", "$0.00"],
    [1, "0.01", "$0.01"],
    [-1, "-0.01", "-$0.01"],
    [10, "0.10", "$0.10"],
    [100, "1.00", "$1.00"],
    [-2_500, "-25.00", "-$25.00"],
    [123_450, "1234.50", "$1,234.50"],
    [100_000_000, "1000000.00", "$1,000,000.00"],
    [123_456_789_012, "1234567890.12", "$1,234,567,890.12"],
  ])("%i cents are %s on the wire and %s on screen", (amount, wire, screen) => {
    expect(dollarsText(cents(amount))).toBe(wire);
    expect(formatMoney(cents(amount))).toBe(screen);
  });

  test("an amount on screen can be typed back", () => {
    fc.assert(
      fc.property(amounts, (amount) => {
        expect(centsFromDollars(cleanAmount(formatMoney(amount)))).toBe(amount);
      }),
    );
  });
});

describe("reckoning", () => {
  test("a sum is exact, whatever the order", () => {
    fc.assert(
      fc.property(fc.array(amounts), (list) => {
        const exact = list.reduce((added, amount) => added + BigInt(amount), 0n);
        expect(BigInt(sum(list))).toBe(exact);
        expect(sum(list.toReversed())).toBe(sum(list));
      }),
    );
  });

  test("a thousand dimes are a hundred dollars", () => {
    const dimes = Array.from({ length: 1000 }, () => centsFromDollars(0.1) ?? cents(0));
    expect(dollarsText(sum(dimes))).toBe("100.00");
  });

  test("a fraction of a cent is never money", () => {
    expect(() => cents(0.5)).toThrow(RangeError);
    expect(() => cents(2 ** 53)).toThrow(RangeError);
    expect(() => cents(Number.NaN)).toThrow(RangeError);
  });

  test("the running total counts unreadable text as 0", () => {
    expect(runningTotal(["20", "", "abc", "0.105", " $1,250.5 ", "."])).toBe(127_050);
    expect(runningTotal([])).toBe(0);
  });
});
