import { describe, expect, test } from "vitest";
import { z } from "zod";
import { CheckNumber, exactLine, line, Name, Note } from "#kit/contract/fields.ts";
import { fieldErrors } from "#kit/contract/validation-messages.ts";

const read = (name: string) =>
  z.strictObject({ first_name: Name }).safeParse({ first_name: name }, { reportInput: true });

describe("a name", () => {
  test.each([
    "Ada",
    "O'Neil-Ødegård",
    "José",
    "Jose\u0301", // with the accent as a combining mark
    "日本",
    "Ѳеодоръ",
    "مُحَمَّد",
    "דָּוִד",
    "प्रिया",
    "ประยุทธ์",
    "ကျော်",
    "அருண்",
    "한글",
    "ㄱ",
    "Nguyễn Thị Minh Khai",
    "می\u200cخواهم", // with a zero-width non-joiner
    "\u200eAda\u200e",
    "X Æ A-12",
    "3M",
    "&",
    "😀",
    "𐐷",
  ])("may be %j", (name) => {
    expect(read(name).success).toBe(true);
  });

  test.each([
    ["combining marks on nothing", "\u0301\u0308"],
    ["a variation selector", "\ufe0f"],
    ["fillers of Hangul", "\u3164\u115f\u1160\uffa0"],
    ["a blank of Braille", "\u2800"],
    ["tags", "\u{e0041}\u{e0042}"],
    ["private characters", "\ue000"],
    ["a musical null", "\u{1d159}"],
  ])("cannot be only %s", (_, name) => {
    const { success, error } = read(name);
    expect(success).toBe(false);
    expect(error && fieldErrors(error)).toEqual([
      {
        path: "first_name",
        message: "First name must have at least one visible character.",
      },
    ]);
  });

  test.each([
    ["nothing", ""],
    ["spaces", "   "],
    ["other spaces", "\u00a0\u3000"],
    ["a zero-width space", "\u200b"],
    ["zero-width joiners", "\u200c\u200d"],
    ["a byte order mark between spaces", "\u200b \ufeff \u200b"],
    ["marks of direction", "\u200e\u200f\u202a\u202e\u2066\u2069\u061c"],
    ["a soft hyphen", "\u00ad"],
    ["a word joiner", "\u2060"],
    ["invisible operators", "\u2062\u2063"],
    ["Mongolian vowel separators", "\u180e"],
  ])("is empty if it is %s", (_, name) => {
    const { error } = read(name);
    expect(error && fieldErrors(error)).toEqual([
      { path: "first_name", message: "Enter a first name." },
    ]);
  });
});

const strange = " Zo\u00ade\u0301\u00a0\u200b Lemai\u200d\u0302tre\u2003\ufeff";

test("a name, a line and a note are stored with composed letters, single spaces and nothing invisible", () => {
  for (const field of [Name, line(200), Note]) expect(field.parse(strange)).toBe("Zoé Lemaître");
  expect(Note.parse("One.\n\tTwo,\u00a0 three.")).toBe("One.\n\tTwo, three.");
  expect(CheckNumber.parse("\u200e10442\u200b")).toBe("10442");
});

test("length limits count the stored text", () => {
  expect(line(4).parse("a\u200b\u200bb\u00a0 c")).toBe("ab c");
});

test("text from another system is not changed", () => {
  expect(exactLine(200).parse("key\u00a0\u00a0e\u0301")).toBe("key\u00a0\u00a0e\u0301");
});
