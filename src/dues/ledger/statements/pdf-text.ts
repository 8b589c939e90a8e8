import { notoSans } from "#dues/ledger/statements/noto-sans.ts";

/** The most letters of a description in a PDF. The statement's page shows it in full. */
export const printedLetters = 400;

/** Text that the font can always show. */
const latinOnly = /^[ -~\u00a0-\u00ff]*$/;

/** The text and fonts of one PDF, and whether any letters were replaced by question marks. */
export class PdfText {
  hasUnknownLetters = false;
  readonly fonts = notoSans();
  /** How each letter is shown; null if it cannot be. */
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

  /** The plain letters that a letter decomposes into; empty for an invisible one; null if there are none. */
  #plainLetters(letter: string): string | null {
    const plain = Array.from(letter.normalize("NFKD").replaceAll(/\p{M}/gu, ""));
    if (plain.length > 0 && plain.every((part) => this.#has(part))) return plain.join("");
    return /^[\p{Default_Ignorable_Code_Point}\p{M}]$/u.test(letter) ? "" : null;
  }
}
