import { expect, test } from "vitest";
import { PdfText } from "#dues/ledger/statements/pdf-text.ts";

const shownIn = (text: string) => new PdfText().shown(text);

test.each([
  ["Zoë Muñoz, “Æsir” – €5 … Œuvre Žižek", "Zoë Muñoz, “Æsir” – €5 … Œuvre Žižek"],
  ["n\u0303 and e\u0301", "ñ and é"],
  ["two\nlines\u00a0and\ttabs\u2028more", "two lines and tabs more"],
  ["zero\u200bwidth\u202eand marks", "zerowidthand marks"],
])("%j is shown on one line as %j", (text, shown) => {
  expect(shownIn(text)).toBe(shown);
});

test.each([
  "Łukasz Đorđević, Dvořák, Ağaoğlu, İpek",
  "Nguyễn Thị Ỹ, Đặng Ơn",
  "Їжакевич, Ґалаґан, Ђурђевић, Қазақ",
  "Ωραιόπουλος, ἀρχή",
  "Vít Ķēniņš, Ẁẃỳ, Ŋŋ ẞ",
  "№ 5 ₴",
  "−5 non‑breaking 6′ 2″",
])("%j is shown as written", (text) => {
  const whole = new PdfText();
  expect(whole.shown(text)).toBe(text);
  expect(whole.hasUnknownLetters).toBe(false);
});

test("letters are composed with their marks before they are looked up", () => {
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

test("missing letters are reported, even if the text has question marks of its own", () => {
  const text = new PdfText();
  text.shown("Paid？ Łukasz says so?\u200b");
  expect(text.hasUnknownLetters).toBe(false);
  text.shown("漢");
  text.shown("Paid.");
  expect(text.hasUnknownLetters).toBe(true);
});
