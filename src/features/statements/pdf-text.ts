/*
 * A PDF's own fonts have the letters of Western Europe and no others; a font with many more has
 * megabytes, and none is among our packages. What they lack is written with the letters that come nearest.
 */

/** Beside ASCII and Latin-1, what those fonts have (Windows-1252). */
const others = new Set("ƒ–—‘’‚“”„†‡•…€‰‹›ˆ™Œœ˜Š\u0161ŸŽž");

const isKnown = (letter: string) => /^[ -~\u00a0-\u00ff]$/.test(letter) || others.has(letter);

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

/** Text that a PDF's own fonts can show on one line: Łukasz becomes Lukasz, 漢 a question mark. */
export function pdfText(text: string): string {
  const oneLine = text.normalize("NFC").replaceAll(/[\s\u2028\u2029]+/gu, " ");
  return Array.from(oneLine, shown).join("");
}

function shown(letter: string): string {
  if (isKnown(letter)) return letter;
  const near = nearest[letter];
  if (near !== undefined) return near;
  const plain = Array.from(letter.normalize("NFKD").replaceAll(/\p{M}/gu, ""));
  if (plain.length > 0 && plain.every((part) => isKnown(part) || nearest[part] !== undefined))
    return plain.map((part) => nearest[part] ?? part).join("");
  return /^[\p{Default_Ignorable_Code_Point}\p{M}]$/u.test(letter) ? "" : "?";
}

/** Whether a text has letters that are only shown as question marks. */
export function hasUnknownLetters(text: string): boolean {
  return pdfText(text.replaceAll("?", "")).includes("?");
}
