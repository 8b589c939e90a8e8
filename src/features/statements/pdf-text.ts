/*
 * A PDF's own fonts have the letters of Western Europe and no others (Windows-1252); a font with many more has
 * megabytes, and none is among our packages. What they lack is written with the letters that come nearest.
 */

/** Letters of a description in a PDF: longer ones are cut. The statement's page has them whole. */
export const printedLetters = 400;

/** Beside ASCII and Latin-1, what those fonts have, from code 128 on; a blank stands where there is no letter. */
const others = "€ ‚ƒ„…†‡ˆ‰Š‹Œ Ž  ‘’“”•–—˜™š›œ žŸ";
const otherCodes = new Map(Array.from(others, (letter, at) => [letter, 128 + at]));
otherCodes.delete(" ");

const isKnown = (letter: string) => latinOnly.test(letter) || otherCodes.has(letter);

/** Most texts have no other letters, and are not taken apart. */
const latinOnly = /^[ -~\u00a0-\u00ff]*$/;

/** Letters that do not come apart into a plain one and its accent. */
const nearest: Record<string, string> = {
  Ł: "L",
  ł: "l",
  Đ: "D",
  đ: "d",
  Ħ: "H",
  ħ: "h",
  ı: "i",
  ŀ: "l",
  ŋ: "n",
  Ŋ: "N",
  ẞ: "SS",
  "−": "-",
  "‐": "-",
  "‑": "-",
  "′": "'",
  "″": '"',
  "\u2009": " ",
  "\u202f": " ",
};

/** All text of one PDF, and whether any of it has letters that are only shown as question marks. */
export class PdfText {
  hasUnknownLetters = false;

  /** Text that a PDF's own fonts can show on one line: Łukasz becomes Lukasz, 漢 a question mark. */
  shown(text: string): string {
    const oneLine = text
      .normalize("NFC")
      .replaceAll(/[\s\u2028\u2029]+/gu, " ")
      .replaceAll("\u00ad", "");
    if (latinOnly.test(oneLine)) return oneLine;
    return Array.from(oneLine, (letter) => this.#shownLetter(letter)).join("");
  }

  #shownLetter(letter: string): string {
    const shown = isKnown(letter) ? letter : (nearest[letter] ?? withoutAccent(letter));
    if (shown !== null) return shown;
    this.hasUnknownLetters = true;
    return "?";
  }
}

/** The plain letters that a letter comes apart into, none for one that is invisible; null: there are none. */
function withoutAccent(letter: string): string | null {
  const plain = Array.from(letter.normalize("NFKD").replaceAll(/\p{M}/gu, ""));
  if (plain.length > 0 && plain.every((part) => isKnown(part) || nearest[part] !== undefined))
    return plain.map((part) => nearest[part] ?? part).join("");
  return /^[\p{Default_Ignorable_Code_Point}\p{M}]$/u.test(letter) ? "" : null;
}

/** The code in a PDF's fonts of one letter of a text that they can show. */
export function codeAt(text: string, at: number): number {
  const unit = text.charCodeAt(at);
  return unit < 256 ? unit : (otherCodes.get(text.charAt(at)) ?? 63);
}

/** A text that a PDF's fonts can show as its drawing has it: two digits for each letter. */
export function hexOf(text: string): string {
  const codes = Buffer.from(text, "latin1");
  if (!latinOnly.test(text))
    for (let at = 0; at < text.length; at += 1) codes[at] = codeAt(text, at);
  return codes.toString("hex");
}
