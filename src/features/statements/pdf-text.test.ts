import { expect, test } from "vitest";
import { hasUnknownLetters, pdfText } from "#features/statements/pdf-text.ts";

test.each([
  ["Zoë Muñoz, “Æsir” – €5 … Œuvre Žižek", "Zoë Muñoz, “Æsir” – €5 … Œuvre Žižek"],
  [
    "Łukasz Đorđević, Dvořák, Ağaoğlu, İpek, Nguyễn",
    "Lukasz Dordevic, Dvorák, Agaoglu, Ipek, Nguyen",
  ],
  ["n\u0303 and e\u0301", "ñ and é"],
  ["½ ﬁ ２ ＄", "½ fi 2 $"],
  ["two\nlines\u00a0and\ttabs\u2028more", "two lines and tabs more"],
  ["zero\u200bwidth\u202eand marks", "zerowidthand marks"],
  ["漢字 Ω 🎓", "?? ? ?"],
])("%j is shown as %j", (text, shown) => {
  expect(pdfText(text)).toBe(shown);
});

test("whether letters are missing is known, also where a text has question marks of its own", () => {
  expect(hasUnknownLetters("Paid? Łukasz says so.")).toBe(false);
  expect(hasUnknownLetters("漢")).toBe(true);
});
