import { expect, test } from "vitest";
import { coreFonts } from "#features/statements/pdf-fonts.ts";
import { PdfText } from "#features/statements/pdf-text.ts";

const shownIn = (text: string) => new PdfText([text]).shown(text);

test.each([
  ["Zoë Muñoz, “Æsir” – €5 … Œuvre Žižek", "Zoë Muñoz, “Æsir” – €5 … Œuvre Žižek"],
  ["n\u0303 and e\u0301", "ñ and é"],
  ["two\nlines\u00a0and\ttabs\u2028more", "two lines and tabs more"],
  ["zero\u200bwidth\u202eand marks", "zerowidthand marks"],
  ["−5 non‑breaking 6′ 2″", "-5 non-breaking 6' 2\""],
])("%j is shown as %j in the fonts of every reader", (text, shown) => {
  expect(shownIn(text)).toBe(shown);
  expect(new PdfText([text]).fonts).toBe(coreFonts);
});

test.each([
  "Łukasz Đorđević, Dvořák, Ağaoğlu, İpek",
  "Nguyễn Thị Ỹ, Đặng Ơn",
  "Їжакевич, Ґалаґан, Ђурђевић, Қазақ",
  "Ωραιόπουλος, ἀρχή",
  "Vít Ķēniņš, Ẁẃỳ, Ŋŋ ẞ",
  "№ 5 ₴",
])("%j is shown as written", (text) => {
  const whole = new PdfText(["Zoë", text]);
  expect(whole.shown(text)).toBe(text);
  expect(whole.fonts).not.toBe(coreFonts);
  expect(whole.hasUnknownLetters).toBe(false);
});

test("letters come together with their marks before they are looked for", () => {
  expect(shownIn("Nguye\u0302\u0303n, L\u0323u")).toBe("Nguyễn, Ḷu");
});

test.each([
  ["½ ２ ＄", "½ 2 $"],
  ["漢字 Ω 🎓", "?? Ω ?"],
  ["हिन्दी", "???"], // without the marks between them
  ["x\u0302", "x"],
])("%j, which the font lacks, is shown as %j", (text, shown) => {
  expect(shownIn(text)).toBe(shown);
});

test("whether letters are missing is known, also where a text has question marks of its own", () => {
  const text = new PdfText(["Łukasz", "漢"]);
  text.shown("Paid？ Łukasz says so?\u200b");
  expect(text.hasUnknownLetters).toBe(false);
  text.shown("漢");
  text.shown("Paid.");
  expect(text.hasUnknownLetters).toBe(true);
});
