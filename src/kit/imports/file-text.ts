import { isUtf8 } from "node:buffer";
import { type FileHandle, open } from "node:fs/promises";
import { resolve } from "node:path";
import { setImmediate } from "node:timers/promises";
import { Refusal } from "#kit/contract/refusal.ts";

export const encodings = ["utf-8", "windows-1252"] as const;
export type Encoding = (typeof encodings)[number];

export interface TextFile {
  /** The file's path, or its name if its bytes came with a request. */
  path: string;
  /** The content, if it is not on disk. */
  bytes?: Buffer;
  encoding: Encoding;
}

/** Longer than any accepted record: anything longer is an unclosed quotation mark. */
export const maxRecordBytes = 128 * 1024;

/**
 * Detects a file's encoding. A file with UTF-8's mark is UTF-8, and so is one with at least as many multi-byte letters
 * as bytes that are not UTF-8: otherwise its good accents would become two letters each. In Windows-1252, a few letters
 * and signs side by side look like one UTF-8 letter.
 */
export function encodingOf(bytes: Buffer): Encoding {
  const isMarked = bytes.subarray(0, 3).equals(Buffer.from([0xef, 0xbb, 0xbf]));
  return isMarked || isUtf8(bytes) || isMostlyUtf8(bytes) ? "utf-8" : "windows-1252";
}

function isMostlyUtf8(bytes: Buffer): boolean {
  let letters = 0;
  let others = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const length = lengthOf(bytes[at] ?? 0);
    if (length === 0) continue;
    let end = at + 1;
    while (end < at + length && ((bytes[end] ?? 0) & 0xc0) === 0x80) end += 1;
    if (length > 1 && end === at + length) {
      letters += 1;
      at = end - 1;
    } else others += 1;
  }
  return letters > 0 && letters >= others;
}

/** The byte length of a UTF-8 letter that begins with this byte: 0 for ASCII, 1 if it begins none. */
const lengthOf = (byte: number) =>
  byte < 0x80 ? 0 : byte < 0xc2 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : byte < 0xf5 ? 4 : 1;

/**
 * A file's text in pieces of whole lines, with uniform line ends, so that lines can be counted. In a UTF-8 file a byte
 * that is not UTF-8 is read as Windows-1252, and `onBadLine` is called with its line. Throws a Refusal if the file
 * cannot be read.
 */
export async function* wholeLines(
  file: TextFile,
  onBadLine: (line: number) => void,
): AsyncGenerator<string> {
  let rest: Buffer = Buffer.alloc(0);
  let line = 1;
  const decode = (bytes: Buffer) => {
    const text = textOf(bytes, file.encoding, (below) => onBadLine(line + below));
    line += text.match(/\n/g)?.length ?? 0;
    return text;
  };
  for await (const chunk of piecesOf(file)) {
    const bytes = Buffer.concat([rest, chunk]);
    const end = endOfLines(bytes);
    if (end === 0 && bytes.length > maxRecordBytes)
      throw new Refusal(422, `Line ${line} of the file is too long: this is not a CSV file.`);
    rest = bytes.subarray(end);
    if (end > 0) yield decode(bytes.subarray(0, end));
  }
  if (rest.length > 0) yield decode(rest);
}

export interface Line {
  line: number;
  /** Without its line end. */
  text: string;
}

/** The lines of a file as `wholeLines` reads it, piece by piece. */
export async function* linesOf(file: TextFile): AsyncGenerator<Line[]> {
  let first = 1;
  for await (const piece of wholeLines(file, () => undefined)) {
    const lines = piece.replace(/\n$/, "").split("\n");
    const start = first;
    yield lines.map((text, index) => ({ line: start + index, text }));
    first += lines.length;
  }
}

const lineEnds = /\r\n?/g;

/** The text of whole lines; `onBadLine` is called with how many lines below the first a bad byte is. */
function textOf(bytes: Buffer, encoding: Encoding, onBadLine: (below: number) => void): string {
  if (encoding === "windows-1252" || isUtf8(bytes))
    return new TextDecoder(encoding).decode(bytes).replace(lineEnds, "\n");
  // In Latin-1 each byte is one character, so lines can be split in any encoding.
  const lines = bytes.toString("latin1").replace(lineEnds, "\n").split("\n");
  const read = lines.map((line, below) => {
    const ofLine = Buffer.from(line, "latin1");
    if (isUtf8(ofLine)) return new TextDecoder().decode(ofLine);
    onBadLine(below);
    return line.replace(charactersBeyondAscii, inEitherEncoding);
  });
  return read.join("\n");
}

/** Possible UTF-8 characters, and every other byte that is not ASCII. */
const charactersBeyondAscii =
  /[\u00c2-\u00df][\u0080-\u00bf]|[\u00e0-\u00ef][\u0080-\u00bf]{2}|[\u00f0-\u00f4][\u0080-\u00bf]{3}|[\u0080-\u00ff]/g;

function inEitherEncoding(character: string): string {
  const bytes = Buffer.from(character, "latin1");
  return new TextDecoder(isUtf8(bytes) ? "utf-8" : "windows-1252").decode(bytes);
}

/** The end of the last whole line; a carriage return's line feed may be in the next piece. */
function endOfLines(bytes: Buffer): number {
  const lineFeed = bytes.lastIndexOf(0x0a);
  const carriageReturn = bytes.subarray(0, -1).lastIndexOf(0x0d);
  return Math.max(lineFeed, carriageReturn) + 1;
}

const howToSave = 'In Excel choose File, Save As, and "CSV UTF-8 (Comma delimited)".';

/** Name the formats that people often choose instead of CSV, by these bytes. */
export function refuseOtherFormats(bytes: Buffer): void {
  const begins = (...start: number[]) => bytes.subarray(0, start.length).equals(Buffer.from(start));
  if (begins(0x50, 0x4b, 0x03, 0x04) || begins(0xd0, 0xcf, 0x11, 0xe0))
    throw new Refusal(422, `The file is a workbook, not a CSV file. ${howToSave}`);
  if (begins(0xff, 0xfe) || begins(0xfe, 0xff))
    throw new Refusal(422, `The file is Unicode text (UTF-16), which cannot be read. ${howToSave}`);
  if (bytes.includes(0))
    throw new Refusal(422, `The file has no text: it is not a CSV file. ${howToSave}`);
}

const pieceBytes = 64 * 1024;

/** The file's bytes in pieces; other work runs between them. */
async function* piecesOf({ path, bytes }: TextFile): AsyncGenerator<Buffer> {
  if (bytes) {
    for (let start = 0; start < bytes.length; start += pieceBytes) {
      await setImmediate();
      yield bytes.subarray(start, start + pieceBytes);
    }
    return;
  }
  const file = await openFile(path);
  try {
    const pieces: AsyncIterable<Buffer> = file.createReadStream({ autoClose: false });
    let isFirst = true;
    for await (const piece of pieces) {
      if (isFirst) refuseOtherFormats(piece);
      isFirst = false;
      yield piece;
    }
  } finally {
    await file.close();
  }
}

async function openFile(path: string): Promise<FileHandle> {
  try {
    // Commands run in the project folder, but the path is relative to the caller's.
    const file = await open(resolve(process.env["INIT_CWD"] ?? "", path));
    if ((await file.stat()).isFile()) return file;
    await file.close();
  } catch (problem) {
    const code = problem instanceof Error && "code" in problem ? problem.code : "";
    const reason =
      code === "ENOENT" ? "there is no such file" : `it cannot be opened (${String(code)})`;
    throw new Refusal(422, `${path} cannot be read: ${reason}.`);
  }
  throw new Refusal(422, `${path} cannot be read: it is not a file.`);
}
