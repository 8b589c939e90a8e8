import { Readable } from "node:stream";
import { parse, type Parser } from "csv-parse";
import { parse as parseText } from "csv-parse/sync";
import { Refusal } from "#kit/contract/refusal.ts";
import {
  type Line,
  linesOf,
  maxRecordBytes,
  type TextFile,
  wholeLines,
} from "#kit/imports/file-text.ts";

/**
 * How places in a file are counted, from 1: by lines, as text editors do, or by rows, as spreadsheets
 * do, where a cell with line breaks takes one row all the same.
 */
export type Counting = "line" | "row";

/** The characters that may separate the values of a record. */
const separators = [",", ";", "\t"] as const;
export type Separator = (typeof separators)[number];

export interface CsvFile extends TextFile {
  /** Lines unless given. */
  countsBy?: Counting;
}

/** One record of a file. `line` is where it begins, as the file counts. */
export interface CsvRecord {
  line: number;
  /** Of one that cannot be read: its cells as far as they can be told apart. */
  values: string[];
  /** Why it cannot be read, in a whole sentence. */
  problem?: string;
  /** Where quotation marks no longer match: lines that are not read, a piece of the file at a time, to its end. */
  unread?: Line[];
}

/**
 * Read a CSV file (RFC 4180, any line ends, with or without a byte order mark) record by record, in
 * constant memory. Spreadsheets write semicolons or tabs in some countries: the first row decides which.
 * Values are trimmed; records without any value are left out. A stray quotation mark spoils its
 * record, and so does a byte that is not in the encoding. Marks that do not match end the reading, since
 * nobody can say where such a record ends: what is left is answered line by line.
 * Throws a Refusal when the file cannot be read.
 */
export async function readCsv(file: CsvFile): Promise<{
  separator: Separator;
  /** The separator, where a first line `sep=;` names it: that line is no record. */
  namedSeparator: Separator | null;
  records: AsyncGenerator<CsvRecord>;
}> {
  const badLines: number[] = [];
  const text = wholeLines(file, (line) => badLines.push(line));
  const first = await text.next();
  const firstPiece = first.done ? "" : first.value;
  const named = separatorNamedBy(firstPiece);
  const namedSeparator = separators.find((one) => one === named) ?? null;
  if (named !== null && !namedSeparator) {
    await text.return(undefined);
    throw unknownSeparator(named);
  }
  const separator = namedSeparator ?? separatorOf(firstPiece);
  const records = recordsOf(
    file,
    { text: withFirstPiece(first, text), badLines },
    { separator, namedSeparator },
  );
  if (namedSeparator) await records.next();
  return { separator, namedSeparator, records };
}

/** Excel names the separator in a first line such as `sep=;`. */
function separatorNamedBy(text: string): string | null {
  return /^\s*"?sep=(.)"?[ ;,\t]*(?:\n|$)/i.exec(text)?.[1] ?? null;
}

const unknownSeparator = (named: string) =>
  new Refusal(
    422,
    `The first line of the file names "${named}" as the separator. Columns must be separated by commas, semicolons or tabs.`,
  );

async function* recordsOf(
  file: CsvFile,
  { text, badLines }: { text: AsyncIterable<string>; badLines: number[] },
  { separator, namedSeparator }: { separator: Separator; namedSeparator: Separator | null },
): AsyncGenerator<CsvRecord> {
  const { records, straysBefore, brokenFrom, stop } = createParser(text, separator);
  const again = rereader(file);
  let breaksInValues = namedSeparator && file.countsBy === "row" ? 1 : 0; // no spreadsheet shows that line
  const placeOf = (line: number) => (file.countsBy === "row" ? line - breaksInValues : line);
  async function* strays(before: number): AsyncGenerator<CsvRecord> {
    const starts = straysBefore(before);
    for (const [index, line] of starts.entries()) {
      const lines = await again.read(line, starts[index + 1] ?? before);
      const { cells, breaks } = asFarAsItCanBeTold(lines.join("\n"), separator);
      yield { line: placeOf(line), values: cells, problem: strayMark };
      breaksInValues += breaks;
    }
  }
  let bad = 0;
  const hasBadByte = (from: number, to: number) => {
    while ((badLines[bad] ?? Infinity) < from) bad += 1;
    return (badLines[bad] ?? Infinity) <= to;
  };
  try {
    for await (const { record, raw, info } of records) {
      if (info.lines >= brokenFrom()) break;
      const breaks = breaksIn(raw);
      const line = info.lines - breaks;
      yield* strays(line);
      const isBad = hasBadByte(line, info.lines);
      yield { line: placeOf(line), values: record, ...(isBad && { problem: badByte(file) }) };
      breaksInValues += breaks;
    }
    yield* strays(brokenFrom());
    if (brokenFrom() === Infinity) return;
    for await (const lines of linesOf(file)) {
      const unread = lines
        .filter(({ line, text: written }) => line >= brokenFrom() && written.trim() !== "")
        .map(({ line, text: written }) => ({ line: placeOf(line), text: written }));
      const [first] = unread;
      if (first) yield { line: first.line, values: [], problem: unmatchedMarks, unread };
    }
  } finally {
    stop();
    await again.close();
  }
}

const breaksIn = (raw: string) => raw.trim().match(/\n/g)?.length ?? 0;

const strayMark = 'A quotation mark stands inside a value: write it twice, "".';

const unmatchedMarks =
  "The quotation marks do not match, here or in an earlier row: this row was not read.";

/** A file from a command was said to be UTF-8, and its bytes are not at hand; one from a browser was found to be. */
const badByte = ({ bytes }: CsvFile) =>
  bytes
    ? 'A letter of this row is not UTF-8 text, as the rest of the file is. Look at its accents and apostrophes, or save the whole file as "CSV UTF-8".'
    : 'A letter is not UTF-8 text. Save the file as "CSV UTF-8"; if it comes from an older Windows program, import it with --encoding windows-1252.';

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

const format = (separator: Separator) => ({
  delimiter: separator,
  trim: true,
  record_delimiter: "\n",
  relax_column_count: true,
  skip_empty_lines: true,
});

/** csv-parse, and what it has skipped: it runs ahead of who reads its records. */
function createParser(text: AsyncIterable<string>, separator: Separator) {
  const strays = new Set<number>();
  let broken = Infinity;
  const parser: Parser = parse({
    ...format(separator),
    info: true,
    raw: true,
    skip_records_with_empty_values: true,
    skip_records_with_error: true,
    max_record_size: maxRecordBytes,
  });
  let read = 0;
  parser.on("skip", ({ code, lines }: { code: string; lines: number }, raw: string) => {
    read += raw.length;
    if (read > maxRereadBytes) throw tooManyMarks(lines);
    // At the end of the file a line break is read, and not yet counted.
    const counted = code === "CSV_QUOTE_NOT_CLOSED" ? raw.replace(/\n$/, "") : raw;
    const start = lines - (counted.trimStart().match(/\n/g)?.length ?? 0);
    if (code === "INVALID_OPENING_QUOTE") strays.add(start);
    else if (broken === Infinity) broken = start;
  });
  const source = Readable.from(text);
  source.on("error", (problem) => parser.destroy(problem));
  const records: AsyncIterable<Parsed> = source.pipe(parser);
  return {
    records,
    /** Where the record begins whose quotation marks do not match. */
    brokenFrom: () => broken,
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

/** The cells of the first record of a text with misplaced quotation marks, and how many line breaks it has. */
export function asFarAsItCanBeTold(
  text: string,
  separator: Separator,
): { cells: string[]; breaks: number } {
  try {
    const relaxed = { ...format(separator), relax_quotes: true, raw: true, to: 1 };
    // With `raw` it answers more than its types say.
    const [first] = parseText(text, relaxed) as unknown as Pick<Parsed, "record" | "raw">[];
    if (first) return { cells: first.record, breaks: breaksIn(first.raw) };
  } catch {
    // A mark is never closed: it belongs to its cell.
  }
  return { cells: text.split(separator).map((cell) => cell.trim()), breaks: 0 };
}

/** Reads lines of a file once more, forwards: those that the parser has skipped. */
function rereader(file: CsvFile) {
  const pieces = linesOf(file);
  let piece: Line[] = [];
  return {
    /** The lines from one to before another. */
    read: async (from: number, to: number): Promise<string[]> => {
      const found: string[] = [];
      for (;;) {
        const lines = piece.filter(({ line }) => line >= from && line < to);
        found.push(...lines.map(({ text }) => text));
        if ((piece.at(-1)?.line ?? 0) + 1 >= to) return found;
        const next = await pieces.next();
        if (next.done) return found;
        piece = next.value;
      }
    },
    close: () => pieces.return(undefined),
  };
}
