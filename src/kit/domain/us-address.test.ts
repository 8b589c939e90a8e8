import { describe, expect, test } from "vitest";
import {
  formatPhone,
  phoneDigits,
  phoneSearchDigits,
  stateOf,
  usStates,
  zipBeforeExcel,
  zipOf,
} from "#kit/domain/us-address.ts";

const withoutExtension = [
  "6085550100",
  "608-555-0100",
  "(608) 555-0100",
  "608.555.0100",
  "608/555-0100",
  "1 608 555 0100",
  "+1 (608) 555-0100",
  "+16085550100",
  "001-608-555-0100",
  "0016085550100",
  "tel:+16085550100",
  "TEL: +1-608-555-0100",
  "608\u2011555\u20130100",
  "608\u2014555\u22120100",
  "608\u2010555\u20120100",
  "608\u00a0555\u202f0100",
  "\u202a(608) 555-0100\u202c",
  "608\u200b555\u00ad0100",
  "\uff16\uff10\uff18 555 0100",
];

const withExtension = [
  "608-555-0100 x11",
  "608-555-0100x11",
  "+1-608-555-0100-x11",
  "608-555-0100, ext. 11",
  "608-555-0100 Ext: 11",
  "608-555-0100 EXT 11",
  "608-555-0100 extn 11",
  "608-555-0100 extension 11",
  "608-555-0100;11",
  "608-555-0100,11",
  "608-555-0100#11",
  "608-555-0100 # 11",
  "608-555-0100 (x11)",
  "(608) 555-0100 (ext. 11)",
  "608-555-0100 x.11",
  "tel:+16085550100;ext=11",
];

describe("a phone number", () => {
  test.each(withoutExtension)("is read from %j", (typed) => {
    expect(phoneDigits(typed)).toBe("6085550100");
    expect(formatPhone(typed)).toBe("(608) 555-0100");
  });

  test.each(withExtension)("and its extension are read from %j", (typed) => {
    expect(phoneDigits(typed)).toBe("6085550100x11");
    expect(formatPhone(typed)).toBe("(608) 555-0100 x11");
  });

  test.each([
    "555-0100",
    "608-555-01000",
    "+44 20 7946 0958",
    "608-555-0100 or 608-555-0101",
    "608-555-0100, 608-555-0101",
    "608-555-0100 x1234567",
    "608-555-0100 y11",
    "ask Ada",
  ])("is not %j", (typed) => {
    expect(phoneDigits(typed)).toBeNull();
    expect(formatPhone(typed)).toBe(typed);
  });

  test.each([...withoutExtension, ...withExtension])("is searched for as %j", (typed) => {
    expect(phoneSearchDigits(typed)).toBe("6085550100");
  });

  test.each([
    ["608/555", "608555"],
    ["(608) 555", "608555"],
    ["555\u20110100", "5550100"],
    ["001-608", "608"],
    ["+1\u00a0608", "608"],
    ["1 608", "608"],
    ["0010", "0010"],
    ["01", null],
    ["608x", null],
  ])("is searched for by its part %j", (typed, digits) => {
    expect(phoneSearchDigits(typed)).toBe(digits);
  });
});

describe("a state", () => {
  test.each([...usStates])("is %s, or %s, in any case", (code, name) => {
    expect(stateOf(code.toLowerCase())).toBe(code);
    expect(stateOf(name)).toBe(code);
    expect(stateOf(` ${name.toUpperCase()} `)).toBe(code);
    expect(stateOf(`US-${code}`)).toBe(code);
  });

  test.each([
    ["N.Y.", "NY"],
    ["N. Y.", "NY"],
    ["D.C.", "DC"],
    ["Washington, D.C.", "DC"],
    ["new  york", "NY"],
    ["New\u00a0York", "NY"],
    ["NewYork", "NY"],
    ["us-ma", "MA"],
    ["US\u2011MA", "MA"],
    ["\u200bMA", "MA"],
    ["US Virgin Islands", "VI"],
    ["Virgin Islands", "VI"],
    ["U.S.V.I.", "VI"],
  ])("is read from %j as %s", (typed, code) => {
    expect(stateOf(typed)).toBe(code);
  });

  test.each(["", "XX", "Ontario", "US", "NYC", "N1Y", "New York, NY"])("is not %j", (typed) => {
    expect(stateOf(typed)).toBeNull();
  });
});

describe("a zip", () => {
  test.each([
    ["02139", "02139"],
    ["021394307", "02139-4307"],
    ["02139 4307", "02139-4307"],
    ["02139\u20134307", "02139-4307"],
    ["\u200e02139\u00a0", "02139"],
    ["02139-", "02139"],
  ])("is read from %j", (typed, zip) => {
    expect(zipOf(typed)).toBe(zip);
  });

  test.each([
    ["2139", "02139"],
    ["501", "00501"],
    ["2139-4307", "02139-4307"],
    ["21394307", "02139-4307"],
    ["12", null],
    ["213943", null],
    ["n/a", null],
  ])("that Excel made a number of, %j, was %j", (typed, zip) => {
    expect(zipOf(typed)).toBeNull();
    expect(zipBeforeExcel(typed)).toBe(zip);
  });
});
