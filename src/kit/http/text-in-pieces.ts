import { Readable } from "node:stream";

/** The most letters sent as one piece. A longer text is cut into pieces of a quarter of that. */
const mostLetters = 256 * 1024;
const pieceLetters = mostLetters / 4;

/** A text in pieces that can be encoded separately: one piece unless it is long. */
export function piecesOf(text: string): readonly string[] {
  if (text.length <= mostLetters) return [text];
  const pieces: string[] = [];
  for (let here = 0; here < text.length;) {
    let there = here + pieceLetters;
    if (isFirstHalf(text.charCodeAt(there - 1))) there += 1;
    pieces.push(text.slice(here, there));
    here = there;
  }
  return pieces;
}

/** Join the pieces into as few as possible: one, unless that would be long. */
export function joinedPieces(pieces: readonly string[]): readonly string[] {
  if (pieces.length === 1) return pieces;
  const joined: string[] = [];
  let group: string[] = [];
  let letters = 0;
  const most = lettersOf(pieces) <= mostLetters ? mostLetters : pieceLetters;
  for (const piece of pieces) {
    if (group.length > 0 && letters + piece.length > most) {
      joined.push(group.join(""));
      group = [];
      letters = 0;
    }
    group.push(piece);
    letters += piece.length;
  }
  return [...joined, group.join("")];
}

const lettersOf = (pieces: readonly string[]) =>
  pieces.reduce((total, { length }) => total + length, 0);

/** Whether this UTF-16 code unit is the first of a pair. */
const isFirstHalf = (unit: number) => unit >= 0xd800 && unit <= 0xdbff;

/**
 * A long answer that is sent piece by piece, with other work in between: encoding a text of megabytes takes a
 * second.
 */
export class TextInPieces extends Readable {
  readonly letters: number;
  readonly #pieces: Iterator<string>;

  constructor(pieces: readonly string[]) {
    super({ highWaterMark: 1 }); // one piece at a time
    this.letters = lettersOf(pieces);
    this.#pieces = pieces.values();
  }

  override _read(): void {
    setImmediate(() => {
      const { value } = this.#pieces.next();
      this.push(value ?? null);
    });
  }
}
