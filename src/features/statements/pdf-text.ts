import { coreFonts, type Fonts } from "#features/statements/pdf-fonts.ts";
import { notoSans } from "#features/statements/noto-sans.ts";
import { isWestern, latinOnly } from "#features/statements/windows-1252.ts";

/** Letters of a description in a PDF: longer ones are cut. The statement's page has them whole. */
export const printedLetters = 400;

/** What the fonts of every reader lack and is not worth a font within the file. */
const nearest: Record<string, string> = {
  "−": "-",
  "‐": "-",
  "‑": "-",
  "′": "'",
  "″": '"',
};

/** Invisible on a line, or a blank. */
const unseen = /^[\p{Default_Ignorable_Code_Point}\s]$/u;

/** All text of one PDF, its fonts, and whether any of it has letters that are only shown as question marks. */
export class PdfText {
  hasUnknownLetters = false;
  /** Those of every reader of PDFs while they have all letters, else ones within the file. */
  readonly fonts: Fonts;
  /** Null for a letter that cannot be shown. */
  readonly #known = new Map<string, string | null>();

  /** `texts` are all that the file will have, but for our own words. */
  constructor(texts: string[]) {
    this.fonts = texts.every(isShownByReaders) ? coreFonts : notoSans();
  }

  /** Text that the fonts can show on one line: 漢 becomes a question mark, ２ a 2. */
  shown(text: string): string {
    const oneLine = text
      .normalize("NFC")
      .replaceAll(/[\s\u2028\u2029]+/gu, " ")
      .replaceAll("\u00ad", "");
    if (latinOnly.test(oneLine)) return oneLine;
    return Array.from(oneLine, (letter) => this.#shownLetter(letter)).join("");
  }

  #shownLetter(letter: string): string {
    let shown = this.#known.get(letter);
    if (shown === undefined) {
      shown = this.#has(letter) ? letter : (nearest[letter] ?? this.#plainLetters(letter));
      this.#known.set(letter, shown);
    }
    if (shown === null) this.hasUnknownLetters = true;
    return shown ?? "?";
  }

  #has(letter: string): boolean {
    return this.fonts.plain.has(letter);
  }

  /** The plain letters that a letter comes apart into, none for one that is invisible; null: there are none. */
  #plainLetters(letter: string): string | null {
    const plain = Array.from(letter.normalize("NFKD").replaceAll(/\p{M}/gu, ""));
    if (plain.length > 0 && plain.every((part) => this.#has(part))) return plain.join("");
    return /^[\p{Default_Ignorable_Code_Point}\p{M}]$/u.test(letter) ? "" : null;
  }
}

function isShownByReaders(text: string): boolean {
  if (latinOnly.test(text)) return true;
  return Array.from(text.normalize("NFC")).every(
    (letter) => isWestern(letter) || letter in nearest || unseen.test(letter),
  );
}
