import { expect, test } from "vitest";
import { PdfText } from "#features/statements/pdf-text.ts";

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
  expect(new PdfText().shown(text)).toBe(shown);
});

test("whether letters are missing is known, also where a text has question marks of its own", () => {
  const text = new PdfText();
  text.shown("Paid? Łukasz says so.\u200b");
  expect(text.hasUnknownLetters).toBe(false);
  text.shown("漢");
  text.shown("Paid.");
  expect(text.hasUnknownLetters).toBe(true);
});
