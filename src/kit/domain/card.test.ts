import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  canBecomeValid,
  type CardBrand,
  cardBrand,
  type CardField,
  cardFields,
  containsCardNumber,
  isCardFieldValid,
  maskCardField,
} from "./card.ts";

/** The rules of spec §5 written a second time, as patterns. */
const reference: Record<CardBrand, RegExp> = {
  visa: /^4\d{12}(\d{3})?$/,
  mastercard: /^(5[1-5]\d{2}|222[1-9]|22[3-9]\d|2[3-6]\d{2}|27[01]\d|2720)\d{12}$/,
  amex: /^3[47]\d{13}$/,
  diners: /^3(0[0-5]|[68]\d)\d{11}$/,
  discover: /^6(011|5\d{2})\d{12}$/,
  jcb: /^((2131|1800)\d{11}|35\d{14})$/,
};
const brands: CardBrand[] = ["visa", "mastercard", "amex", "diners", "discover", "jcb"];

const digits = (least: number, most: number) =>
  fc
    .array(fc.integer({ min: 0, max: 9 }), { minLength: least, maxLength: most })
    .map((list) => list.join(""));
/** Digits that often begin as a brand's numbers do, or nearly so. */
const likelyNumbers = fc
  .tuple(
    fc
      .constantFrom("", "4", "5", "51", "55", "56", "222", "2221", "2720", "2721", "34", "37", "30")
      .chain((start) =>
        fc.constantFrom(
          start,
          "300",
          "305",
          "306",
          "36",
          "38",
          "39",
          "6011",
          "65",
          "64",
          "2131",
          "1800",
          "35",
        ),
      ),
    digits(8, 16),
  )
  .map(([start, rest]) => start + rest);
const validNumbers = fc
  .constantFrom(...brands)
  .chain((brand) => fc.stringMatching(reference[brand]).map((number) => ({ brand, number })));
const grouped = (number: string) => maskCardField("cardNumber", number);

const today = "2026-11-26";

describe("a card's brand", () => {
  test.each([
    ["4111 1111 1111 1111", "visa"],
    ["4222 2222 2222 2", "visa"],
    ["5555 5555 5555 4444", "mastercard"],
    ["2221 0000 0000 0009", "mastercard"],
    ["2720 9999 9999 9996", "mastercard"],
    ["3782 8224 6310 005", "amex"],
    ["3056 9309 0259 04", "diners"],
    ["3852 0000 0232 37", "diners"],
    ["6011 1111 1111 1117", "discover"],
    ["6500 0000 0000 0002", "discover"],
    ["3530 1113 3330 0000", "jcb"],
    ["2131 0000 0000 000", "jcb"],
    ["1800 0000 0000 000", "jcb"],
  ])("of %s is %s", (number, brand) => {
    expect(cardBrand(number)).toBe(brand);
  });

  test.each([
    ["nothing", ""],
    ["a Visa of 14 digits", "4111 1111 1111 11"],
    ["a Visa of 15 digits", "4111 1111 1111 111"],
    ["a Mastercard below its second series", "2220 9999 9999 9999"],
    ["a Mastercard above its second series", "2721 0000 0000 0000"],
    ["a Mastercard above its first series", "5600 0000 0000 0000"],
    ["a Diners above its series", "3060 0000 0000 00"],
    ["a Discover's neighbour", "6012 0000 0000 0000"],
    ["letters", "4111 1111 1111 111x"],
    ["17 digits", "4111 1111 1111 1111 1"],
  ])("is none for %s", (_what, number) => {
    expect(cardBrand(number)).toBeNull();
  });

  test("is the one whose pattern the digits match, with or without spaces", () => {
    fc.assert(
      fc.property(fc.oneof(likelyNumbers, digits(0, 18)), (number) => {
        const expected = brands.find((brand) => reference[brand].test(number)) ?? null;
        expect(cardBrand(number)).toBe(expected);
        expect(cardBrand(number.replace(/(\d{4})/g, "$1 "))).toBe(expected);
      }),
      { numRuns: 2000 },
    );
  });

  test("is never two brands", () => {
    fc.assert(
      fc.property(validNumbers, ({ brand, number }) => {
        expect(brands.filter((other) => reference[other].test(number))).toEqual([brand]);
      }),
    );
  });
});

describe("what is typed", () => {
  test("of every brand's number fits the mask, in groups of four", () => {
    fc.assert(
      fc.property(validNumbers, ({ brand, number }) => {
        expect(grouped(number)).toMatch(
          /^\d{4}( \d{4}){2,3}( \d{1,3})?$|^\d{4}( \d{4}){2} \d{1,4}$/,
        );
        expect(cardBrand(grouped(number))).toBe(brand);
        expect(isCardFieldValid("cardNumber", grouped(number), today)).toBe(true);
      }),
    );
  });

  test("is not refused while it can still become a card number", () => {
    fc.assert(
      fc.property(validNumbers, fc.nat(16), ({ number }, typedSoFar) => {
        expect(canBecomeValid("cardNumber", grouped(number.slice(0, typedSoFar)), today)).toBe(
          true,
        );
      }),
    );
  });

  test("that can no longer become a card number is refused, whatever follows", () => {
    fc.assert(
      fc.property(likelyNumbers, digits(0, 8), (number, rest) => {
        fc.pre(!canBecomeValid("cardNumber", number, today));
        expect(canBecomeValid("cardNumber", number + rest, today)).toBe(false);
        expect(cardBrand(number + rest)).toBeNull();
      }),
    );
  });

  test.each(["12", "1234", "56", "4111 1111 1111 1111 1", "39"])(
    "as a card number can no longer become one: %s",
    (typed) => {
      expect(canBecomeValid("cardNumber", typed, today)).toBe(false);
    },
  );

  test("is not changed by masking it again", () => {
    const fields = fc.constantFrom<CardField>(...cardFields);
    const typing = fc.oneof(fc.string(), fc.stringMatching(/^[\d/ ]{0,9}$/));
    fc.assert(
      fc.property(fields, typing, (field, typed) => {
        const masked = maskCardField(field, typed);
        expect(maskCardField(field, masked)).toBe(masked);
        expect(masked).toMatch(/^[\d/ ]*$/);
      }),
      { numRuns: 2000 },
    );
  });

  test("of an expiry can be typed and deleted one character at a time", () => {
    const months = fc.integer({ min: 1, max: 12 }).map((month) => String(month).padStart(2, "0"));
    fc.assert(
      fc.property(months, fc.integer({ min: 27, max: 99 }).map(String), (month, year) => {
        let typed = "";
        for (const key of month + year) {
          typed = maskCardField("expDate", typed + key);
          expect(canBecomeValid("expDate", typed, today)).toBe(true);
        }
        expect(typed).toBe(`${month}/${year}`);
        for (let length = typed.length; typed !== ""; length = typed.length) {
          typed = maskCardField("expDate", typed.slice(0, -1));
          expect(typed.length).toBeLessThan(length);
        }
      }),
    );
  });
});

describe("an expiry", () => {
  test.each([
    ["1", "1"],
    ["5", "05"],
    ["12", "12"],
    ["12/", "12/"],
    ["1/", "01/"],
    ["127", "12/7"],
    ["1/27", "01/27"],
    ["12/2027", "12/27"],
    ["12 / 27", "12/27"],
    ["12/203", "12/20"],
    ["abc", ""],
  ])("typed as %s reads %s", (typed, masked) => {
    expect(maskCardField("expDate", typed)).toBe(masked);
  });

  test.each([
    "00/27",
    "13/27",
    "1/27",
    "12/2",
    "12",
    "1227",
    "",
    "10/26",
    "12/25",
    "01/20",
    "10/00",
  ])("is not %s", (typed) => {
    expect(isCardFieldValid("expDate", typed, today)).toBe(false);
  });

  test.each(["11/26", "01/27", "12/99"])("is %s", (typed) => {
    expect(isCardFieldValid("expDate", typed, today)).toBe(true);
  });

  test.each(["13", "00", "13/2", "01/20", "10/26"])("can no longer begin with %s", (typed) => {
    expect(canBecomeValid("expDate", typed, today)).toBe(false);
  });
});

test("a card code has three digits and an optional fourth", () => {
  for (const code of ["123", "1234"]) expect(isCardFieldValid("cardCode", code, today)).toBe(true);
  for (const code of ["", "1", "12", "12345", "12a"])
    expect(isCardFieldValid("cardCode", code, today)).toBe(false);
  expect(maskCardField("cardCode", "12 34x5")).toBe("1234");
});

describe("a card number in a text", () => {
  test.each([
    "4111111111111111",
    "4111 1111 1111 1111",
    "5555-5555-5555-4444",
    "378282246310005",
    "4222222222222",
    "6304000000000000000", // 19 digits
    "tok_4111111111111111",
    "4111111111111111abc",
    "4111-1111-1111-1111-12-27",
    "card 4111 1111 1111 1111 12/27",
  ])("is found: %s", (text) => expect(containsCardNumber(text)).toBe(true));

  test.each([
    "",
    "1001",
    "CHK-2026-000417",
    "4111111111111112", // its check digit is another
    "411111111111", // 12 digits
    "41111111111111111111", // 20 digits
    "4111  1111  1111  1111 1112",
    "pm_1QxA2bCd3EfG4hIj5KlM6nOp",
    "m_4xK0aZ19bQ7rT2sV8wX3yC",
    "eyJjb2RlIjoiNTBfMl8wNjAwMCIsInRva2VuIjoiMSIsInYiOiIxLjEifQ==",
  ])("is not seen in %s", (text) => expect(containsCardNumber(text)).toBe(false));

  test("a processor's ids are not taken for one, however many digits they have", () => {
    const hexadecimal = (length: number) =>
      fc
        .array(fc.constantFrom(...Array.from("0123456789012345678901234567890123456789abcdef")), {
          minLength: length,
          maxLength: length,
        })
        .map((list) => list.join(""))
        .filter((text) => /[a-f]/.test(text));
    const ids = hexadecimal(32).map((hex) =>
      hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "180820AD3-$1-$2-$3-$4-$5").toUpperCase(),
    );
    fc.assert(
      fc.property(fc.oneof(ids, hexadecimal(32), hexadecimal(36)), (name) => {
        expect(containsCardNumber(name)).toBe(false);
      }),
    );
  });
});
