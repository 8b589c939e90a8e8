import type { Font } from "#dues/ledger/statements/noto-sans.ts";

/** A font in a size, in points. */
export interface Type {
  font: Font;
  size: number;
}

/** From a line's top to the next one's, and to the foot of its letters. */
export const lineHeight = ({ font, size }: Type) => font.lineHeight * size;
export const ascent = ({ size }: Type) => 0.95 * size;

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
