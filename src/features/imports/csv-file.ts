import { isUtf8 } from "node:buffer";
import { type FileHandle, open } from "node:fs/promises";
import { resolve } from "node:path";
import { Readable } from "node:stream";
import { setImmediate } from "node:timers/promises";
import { parse, type Parser } from "csv-parse";
import { Refusal } from "#contract/refusal.ts";

export const encodings = ["utf-8", "windows-1252"] as const;
export type Encoding = (typeof encodings)[number];

/**
 * How places in a file are counted, from 1: by lines, as text editors do, or by rows, as spreadsheets
 * do, where a cell with line breaks takes one row all the same.
 */
export type Counting = "line" | "row";

/** The characters that may separate the values of a record. */
const separators = [",", ";", "\t"] as const;
export type Separator = (typeof separators)[number];

export interface CsvFile {
  /** Where it lies; when its bytes came with a request, what it is called. */
  path: string;
  /** What it holds, when it does not lie on the disk. */
  bytes?: Buffer;
  encoding: Encoding;
  /** Lines unless given. */
  countsBy?: Counting;
}

/** One record of a file: its values, or why it has none. `line` is where it begins, as the file counts. */
export type CsvRecord = { line: number } & (
  | { values: string[]; problem?: undefined }
  | { problem: string; values?: undefined }
);

/** Longer than any record that the product takes: what is longer is a quotation mark never closed. */
const maxRecordBytes = 128 * 1024;

/**
 * Read a CSV file (RFC 4180, any line ends, with or without a byte order mark) record by record, in
 * constant memory. Spreadsheets write semicolons or tabs in some countries: the first row decides which.
 * Values are trimmed; records without any value are left out. A stray quotation mark spoils its
 * record; marks that do not match end the reading, since nobody can say where such a record ends.
 * Throws a Refusal when the file cannot be read or is not in the encoding.
 */
export async function readCsv(
  file: CsvFile,
): Promise<{ separator: Separator; records: AsyncGenerator<CsvRecord> }> {
  const text = wholeLines(piecesOf(file), file.encoding);
  const first = await text.next();
  const separator = separatorOf(first.done ? "" : first.value);
  const records = recordsOf(withFirstPiece(first, text), separator, file.countsBy ?? "line");
  return { separator, records };
}

async function* recordsOf(
  text: AsyncIterable<string>,
  separator: Separator,
  countsBy: Counting,
): AsyncGenerator<CsvRecord> {
  const { records, straysBefore, brokenOn, stop } = createParser(text, separator);
  let linesRead = 0;
  let breaksInValues = 0;
  const placeOf = (line: number) => (countsBy === "row" ? line - breaksInValues : line);
  const strays = (before: number) =>
    straysBefore(before).map((line) => ({ line: placeOf(line), problem: strayMark }));
  try {
    for await (const { record, raw, info } of records) {
      if (info.lines >= brokenOn()) break;
      const breaks = raw.trim().match(/\n/g)?.length ?? 0;
      const line = info.lines - breaks;
      yield* strays(line);
      yield { line: placeOf(line), values: record };
      linesRead = info.lines;
      breaksInValues += breaks;
    }
    yield* strays(brokenOn());
    if (brokenOn() < Infinity) {
      const problem =
        "The quotation marks do not match, so this row and all after it cannot be read.";
      yield { line: placeOf(linesRead + 1), problem };
    }
  } finally {
    stop();
  }
}

/** The most frequent separator in the first row, outside of quotation marks; a comma in doubt. */
function separatorOf(text: string): Separator {
  const firstRow = /\S.*/.exec(text)?.[0].replace(/"[^"]*"?/g, "") ?? "";
  const counts = separators.map((one) => firstRow.split(one).length);
  return separators[counts.indexOf(Math.max(...counts))] ?? ",";
}

/** The whole text again, of which the first piece has been looked at. */
async function* withFirstPiece(
  first: IteratorResult<string, unknown>,
  rest: AsyncGenerator<string>,
): AsyncGenerator<string> {
  if (!first.done) yield first.value;
  yield* rest;
}

const strayMark = 'A quotation mark stands inside a value: write it twice, "".';

/** The most that may be read again: for each misplaced mark, csv-parse reads the record from its beginning. */
const maxRereadBytes = 16 * 1024 * 1024;

const tooManyMarks = (line: number) =>
  new Refusal(
    422,
    `Too many quotation marks stand inside values, the last of them on line ${line} of the file: it cannot be read as a CSV file.`,
  );

interface Parsed {
  record: string[];
  raw: string;
  /** `lines`: the line on which the record ends. */
  info: { lines: number };
}

/** csv-parse, and what it has skipped: it runs ahead of who reads its records. */
function createParser(text: AsyncIterable<string>, separator: Separator) {
  const strays = new Set<number>();
  let broken = Infinity;
  const parser: Parser = parse({
    info: true,
    raw: true,
    delimiter: separator,
    trim: true,
    record_delimiter: "\n",
    relax_column_count: true,
    skip_empty_lines: true,
    skip_records_with_empty_values: true,
    skip_records_with_error: true,
    max_record_size: maxRecordBytes,
  });
  let read = 0;
  parser.on("skip", ({ code, lines }: { code: string; lines: number }, raw: string) => {
    read += raw.length;
    if (read > maxRereadBytes) throw tooManyMarks(lines);
    if (code === "INVALID_OPENING_QUOTE") strays.add(lines);
    else broken = Math.min(broken, lines);
  });
  const source = Readable.from(text);
  source.on("error", (problem) => parser.destroy(problem));
  const records: AsyncIterable<Parsed> = source.pipe(parser);
  return {
    records,
    /** The line on which quotation marks no longer match. */
    brokenOn: () => broken,
    /** Close what is read from, when not all of it was wanted. */
    stop: () => source.destroy(),
    /** Where records begin that stray marks have spoilt, before a line; each answered once. */
    straysBefore: (before: number): number[] => {
      const lines: number[] = [];
      for (const line of strays) {
        if (line >= before) break;
        strays.delete(line);
        lines.push(line);
      }
      return lines;
    },
  };
}

/** The file's text in pieces that end with a line, line ends made one kind, so that lines can be counted. */
async function* wholeLines(
  source: AsyncIterable<Buffer>,
  encoding: Encoding,
): AsyncGenerator<string> {
  let rest: Buffer = Buffer.alloc(0);
  let line = 1;
  const decode = (bytes: Buffer) => {
    if (encoding === "utf-8") refuseOtherEncoding(bytes, line);
    const text = new TextDecoder(encoding).decode(bytes).replace(/\r\n?/g, "\n");
    line += text.match(/\n/g)?.length ?? 0;
    return text;
  };
  for await (const chunk of source) {
    const bytes = Buffer.concat([rest, chunk]);
    const end = endOfLines(bytes);
    if (end === 0 && bytes.length > maxRecordBytes)
      throw new Refusal(422, `Line ${line} of the file has no end: it is not a CSV file.`);
    rest = bytes.subarray(end);
    if (end > 0) yield decode(bytes.subarray(0, end));
  }
  if (rest.length > 0) yield decode(rest);
}

/** Where the last whole line ends; a carriage return may have its line feed in the next piece. */
function endOfLines(bytes: Buffer): number {
  const lineFeed = bytes.lastIndexOf(0x0a);
  const carriageReturn = bytes.subarray(0, -1).lastIndexOf(0x0d);
  return Math.max(lineFeed, carriageReturn) + 1;
}

function refuseOtherEncoding(bytes: Buffer, firstLine: number): void {
  if (isUtf8(bytes)) return;
  // As Latin-1, one character a byte: lines can be split, whatever the encoding.
  const lines = bytes.toString("latin1").split(/\r\n?|\n/);
  const wrong = lines.findIndex((text) => !isUtf8(Buffer.from(text, "latin1")));
  throw new Refusal(
    422,
    `Line ${firstLine + wrong} of the file is not UTF-8 text. Save the file as "CSV UTF-8"; if it comes from an older Windows program, import it with --encoding windows-1252.`,
  );
}

const pieceBytes = 64 * 1024;

/** The file's bytes in pieces; others have their turn between two of them. */
async function* piecesOf({ path, bytes }: CsvFile): AsyncGenerator<Buffer> {
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
    yield* pieces;
  } finally {
    await file.close();
  }
}

async function openFile(path: string): Promise<FileHandle> {
  try {
    // Commands run in the project folder; the path is relative to the caller's.
    const file = await open(resolve(process.env["INIT_CWD"] ?? "", path));
    if ((await file.stat()).isFile()) return file;
    await file.close();
  } catch (problem) {
    const code = problem instanceof Error && "code" in problem ? problem.code : "";
    const reason =
      code === "ENOENT" ? "there is no such file" : `it cannot be opened (${String(code)})`;
    throw new Refusal(422, `${path} cannot be read: ${reason}.`);
  }
  throw new Refusal(422, `${path} cannot be read: it is no file.`);
}
