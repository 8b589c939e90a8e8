import { notoSans } from "#dues/ledger/statements/noto-sans.ts";

/** Letters of a description in a PDF: longer ones are cut. The statement's page has them whole. */
export const printedLetters = 400;

/** Letters of the font that need no second look. */
const latinOnly = /^[ -~\u00a0-\u00ff]*$/;

/** All text of one PDF, its fonts, and whether any of it has letters that are only shown as question marks. */
export class PdfText {
  hasUnknownLetters = false;
  readonly fonts = notoSans();
  /** Null for a letter that cannot be shown. */
  readonly #known = new Map<string, string | null>();

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
      shown = this.#has(letter) ? letter : this.#plainLetters(letter);
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
