import type { Font } from "#dues/ledger/statements/noto-sans.ts";

/** A font and its size in points. */
export interface Type {
  font: Font;
  size: number;
}

/** In points: the height of a line, and from its top to its baseline. */
export const lineHeight = ({ font, size }: Type) => font.lineHeight * size;
export const ascent = ({ size }: Type) => 0.95 * size;

/** The width of a text in points. The font must have its letters. */
export const widthOf = (text: string, { font, size }: Type): number =>
  (font.widthOf(text) * size) / 1000;

/** Break a text into lines of at most `width` points, between words, and inside words wider than a line. */
export function linesOf(text: string, width: number, type: Type): string[] {
  const space = widthOf(" ", type);
  const lines: string[] = [];
  let line = "";
  let taken = 0;
  const add = (part: string, partWidth: number) => {
    const isNext = line !== "" && taken + space + partWidth <= width;
    if (line !== "" && !isNext) lines.push(line);
    line = isNext ? `${line} ${part}` : part;
    taken = isNext ? taken + space + partWidth : partWidth;
  };
  for (const word of text.split(" ")) {
    const partWidth = widthOf(word, type);
    if (partWidth <= width) add(word, partWidth);
    else for (const part of partsOf(word, width, type)) add(part, widthOf(part, type));
  }
  return [...lines, line];
}

/** Split a word wider than a line into parts that fill a line; the last may be shorter. */
function partsOf(word: string, width: number, type: Type): string[] {
  const parts: string[] = [];
  let part = "";
  let taken = 0;
  for (const letter of word) {
    const partWidth = widthOf(letter, type);
    if (part !== "" && taken + partWidth > width) {
      parts.push(part);
      part = "";
      taken = 0;
    }
    part += letter;
    taken += partWidth;
  }
  return [...parts, part];
}
