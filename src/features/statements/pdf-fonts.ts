import { codeAt, hexOf, isWestern } from "#features/statements/windows-1252.ts";

/** A font of one file. */
export interface Font {
  /** As a page's drawing calls it. */
  readonly id: "F1" | "F2";
  /** From a line's top to the next one's, in parts of its size. */
  readonly lineHeight: number;
  has: (letter: string) => boolean;
  /** How wide a text of letters that it has is, in thousandths of its size. */
  widthOf: (text: string) => number;
  /** Such a text as a page's drawing has it. */
  hexOf: (text: string) => string;
  /** Its object in the file, once all is drawn. `add` adds what else it needs and answers with that object's number. */
  object: (add: AddObject) => string;
}

export type AddObject = (dictionary: string, data?: Buffer) => number;

export interface Fonts {
  plain: Font;
  bold: Font;
}

/** A font that every reader of PDFs has. */
class CoreFont implements Font {
  readonly id;
  readonly lineHeight = 1.156;
  readonly has = isWestern;
  readonly hexOf = hexOf;
  readonly #name: string;
  readonly #widths: readonly number[];

  /** Widths in thousandths of the font's size, by code, from 32 on (Adobe's metrics of the core fonts). */
  constructor(id: Font["id"], name: string, widths: readonly number[]) {
    this.id = id;
    this.#name = name;
    this.#widths = widths;
  }

  widthOf(text: string): number {
    let width = 0;
    for (let at = 0; at < text.length; at += 1) width += this.#widths[codeAt(text, at) - 32] ?? 0;
    return width;
  }

  object(): string {
    return `/Type /Font /Subtype /Type1 /BaseFont /${this.#name} /Encoding /WinAnsiEncoding`;
  }
}

const widthsOf = (text: string) => text.trim().split(/\s+/).map(Number);

const plain = new CoreFont(
  "F1",
  "Helvetica",
  widthsOf(`
  278 278 355 556 556 889 667 191 333 333 389 584 278 333 278 278 556 556 556 556 556 556 556 556 556 556 278 278 584 584 584 556
  1015 667 667 722 722 667 611 778 722 278 500 667 556 833 722 778 667 778 722 667 611 722 667 944 667 667 611 278 278 278 469 556
  333 556 556 500 556 556 278 556 556 222 222 500 222 833 556 556 556 556 333 500 278 556 500 722 500 500 500 334 260 334 584 0
  556 0 222 556 333 1000 556 556 333 1000 667 333 1000 0 611 0 0 222 222 333 333 350 556 1000 333 1000 500 333 944 0 500 667
  278 333 556 556 556 556 260 556 333 737 370 556 584 333 737 333 400 584 333 333 333 556 537 278 333 333 365 556 834 834 834 611
  667 667 667 667 667 667 1000 722 667 667 667 667 278 278 278 278 722 722 778 778 778 778 778 584 778 722 722 722 722 667 667 611
  556 556 556 556 556 556 889 500 556 556 556 556 278 278 278 278 556 556 556 556 556 556 556 584 611 556 556 556 556 500 556 500`),
);

const bold = new CoreFont(
  "F2",
  "Helvetica-Bold",
  widthsOf(`
  278 333 474 556 556 889 722 238 333 333 389 584 278 333 278 278 556 556 556 556 556 556 556 556 556 556 333 333 584 584 584 611
  975 722 722 722 722 667 611 778 722 278 556 722 611 833 722 778 667 778 722 667 611 722 667 944 667 667 611 333 278 333 584 556
  333 556 611 556 611 556 333 611 611 278 278 556 278 889 611 611 611 611 389 556 333 611 556 778 556 556 500 389 280 389 584 0
  556 0 278 556 500 1000 556 556 333 1000 667 333 1000 0 611 0 0 278 278 500 500 350 556 1000 333 1000 556 333 944 0 500 667
  278 333 556 556 556 556 280 556 333 737 370 556 584 333 737 333 400 584 333 333 333 611 556 278 333 333 365 556 834 834 834 611
  722 722 722 722 722 722 1000 722 667 667 667 667 278 278 278 278 722 722 778 778 778 778 778 584 778 722 722 722 722 667 667 611
  556 556 556 556 556 556 889 556 556 556 556 556 278 278 278 278 611 611 611 611 611 611 611 584 611 611 611 611 611 556 611 556`),
);

/** For texts with the letters of Western Europe only. */
export const coreFonts: Fonts = { plain, bold };

/** A font in a size, in points. */
export interface Type {
  font: Font;
  size: number;
}

/** From a line's top to the next one's, and to the foot of its letters. */
export const lineHeight = ({ font, size }: Type) => font.lineHeight * size;
export const ascent = ({ size }: Type) => 0.718 * size;

/** How wide a text is, in points; it has only letters that the font has. */
export const widthOf = (text: string, { font, size }: Type): number =>
  (font.widthOf(text) * size) / 1000;

/** Break a text into lines of at most `width` points: between words, and within one that is wider than that. */
export function linesOf(text: string, width: number, type: Type): string[] {
  const space = widthOf(" ", type);
  const lines: string[] = [];
  let line = "";
  let taken = 0;
  const add = (part: string, wide: number) => {
    const isNext = line !== "" && taken + space + wide <= width;
    if (line !== "" && !isNext) lines.push(line);
    line = isNext ? `${line} ${part}` : part;
    taken = isNext ? taken + space + wide : wide;
  };
  for (const word of text.split(" ")) {
    const wide = widthOf(word, type);
    if (wide <= width) add(word, wide);
    else for (const part of partsOf(word, width, type)) add(part, widthOf(part, type));
  }
  return [...lines, line];
}

/** A word that is wider than a line, in parts that fill one each; the last may be shorter. */
function partsOf(word: string, width: number, type: Type): string[] {
  const parts: string[] = [];
  let part = "";
  let taken = 0;
  for (const letter of word) {
    const wide = widthOf(letter, type);
    if (part !== "" && taken + wide > width) {
      parts.push(part);
      part = "";
      taken = 0;
    }
    part += letter;
    taken += wide;
  }
  return [...parts, part];
}
