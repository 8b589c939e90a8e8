/*
 * The letters of Western Europe, which the fonts that every reader of PDFs has can show (Windows-1252), and their codes.
 */

/** Beside ASCII and Latin-1, from code 128 on; a blank stands where there is no letter. */
const others = "€ ‚ƒ„…†‡ˆ‰Š‹Œ Ž  ‘’“”•–—˜™š›œ žŸ";
const otherCodes = new Map(Array.from(others, (letter, at) => [letter, 128 + at]));
otherCodes.delete(" ");

/** Most texts have no other letters, and are not taken apart. */
export const latinOnly = /^[ -~\u00a0-\u00ff]*$/;

export const isWestern = (letter: string) => latinOnly.test(letter) || otherCodes.has(letter);

/** The code of one letter of a text that has only these. */
export function codeAt(text: string, at: number): number {
  const unit = text.charCodeAt(at);
  return unit < 256 ? unit : (otherCodes.get(text.charAt(at)) ?? 63);
}

/** A text that has only these as a PDF's drawing has it: two digits for each letter. */
export function hexOf(text: string): string {
  const codes = Buffer.from(text, "latin1");
  if (!latinOnly.test(text))
    for (let at = 0; at < text.length; at += 1) codes[at] = codeAt(text, at);
  return codes.toString("hex");
}
