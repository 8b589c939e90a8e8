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
 * How places in a file are counted, from 1: by lines, as in text editors, or by rows, as in spreadsheets, where a cell
 * with line breaks takes one row.
 */
export type Counting = "line" | "row";

/** The possible separators of values. */
const separators = [",", ";", "\t"] as const;
export type Separator = (typeof separators)[number];

export interface CsvFile extends TextFile {
  /** Default: lines. */
  countsBy?: Counting;
}

/** One record of a file. `line` is its first line, as the file counts. */
export interface CsvRecord {
  line: number;
  /** If it cannot be read: its cells as far as they can be separated. */
  values: string[];
  /** Why it cannot be read, as a whole sentence. */
  problem?: string;
  /** Unread lines from unmatched quotation marks to the file's end, one piece at a time. */
  unread?: Line[];
}

/**
 * Read a CSV file (RFC 4180, any line ends, with or without a byte order mark) record by record, in constant memory.
 * Spreadsheets of some countries write semicolons or tabs: the first row decides. Values are trimmed; empty records are
 * skipped. A stray quotation mark or a byte outside the encoding spoils its record. Unmatched marks end the reading,
 * since such a record's end is unknown: the remaining lines are returned unread. Throws a Refusal if the file cannot be
 * read.
 */
export async function readCsv(file: CsvFile): Promise<{
  separator: Separator;
  /** The separator, if a first line `sep=;` names it. That line is not a record. */
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
  let breaksInValues = namedSeparator && file.countsBy === "row" ? 1 : 0; // spreadsheets hide that line
  const placeOf = (line: number) => (file.countsBy === "row" ? line - breaksInValues : line);
  async function* strays(before: number): AsyncGenerator<CsvRecord> {
    const starts = straysBefore(before);
    for (const [index, line] of starts.entries()) {
      const lines = await again.read(line, starts[index + 1] ?? before);
      const { cells, breaks } = parseRelaxed(lines.join("\n"), separator);
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

const strayMark = 'A value contains a quotation mark. Write it twice: "".';

const unmatchedMarks =
  "The quotation marks do not match, here or in an earlier row, so this row was not read.";

/** A command's file was declared UTF-8, and its bytes are not at hand; a browser's file was detected as UTF-8. */
const badByte = ({ bytes }: CsvFile) =>
  bytes
    ? 'This row has a letter that is not UTF-8, unlike the rest of the file. Check its accents and apostrophes, or save the whole file as "CSV UTF-8".'
    : 'This row has a letter that is not UTF-8. Save the file as "CSV UTF-8". If it comes from an older Windows program, import it with --encoding windows-1252.';

/** The most frequent separator in the first row, outside quotation marks; comma by default. */
function separatorOf(text: string): Separator {
  const firstRow = /\S.*/.exec(text)?.[0].replace(/"[^"]*"?/g, "") ?? "";
  const counts = separators.map((one) => firstRow.split(one).length);
  return separators[counts.indexOf(Math.max(...counts))] ?? ",";
}

/** The whole text, after its first piece was inspected. */
async function* withFirstPiece(
  first: IteratorResult<string, unknown>,
  rest: AsyncGenerator<string>,
): AsyncGenerator<string> {
  if (!first.done) yield first.value;
  yield* rest;
}

/** The most bytes to read again: for each misplaced mark, csv-parse reads the record from its beginning. */
const maxRereadBytes = 16 * 1024 * 1024;

const tooManyMarks = (line: number) =>
  new Refusal(
    422,
    `The file cannot be read as CSV: too many values contain quotation marks, the last on line ${line}.`,
  );

interface Parsed {
  record: string[];
  raw: string;
  /** `lines`: the record's last line. */
  info: { lines: number };
}

const format = (separator: Separator) => ({
  delimiter: separator,
  trim: true,
  record_delimiter: "\n",
  relax_column_count: true,
  skip_empty_lines: true,
});

/** csv-parse, and what it has skipped: it runs ahead of the reader of its records. */
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
    // At the end of the file, a line break is read but not yet counted.
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
    /** The first line of the record with unmatched quotation marks. */
    brokenFrom: () => broken,
    /** Close the source if it was not read to the end. */
    stop: () => source.destroy(),
    /** First lines of records spoiled by stray marks, before a line; each is returned once. */
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

/** The cells of a text's first record with misplaced quotation marks, and how many line breaks it has. */
export function parseRelaxed(
  text: string,
  separator: Separator,
): { cells: string[]; breaks: number } {
  try {
    const relaxed = { ...format(separator), relax_quotes: true, raw: true, to: 1 };
    // With `raw` it returns more than its types say.
    const [first] = parseText(text, relaxed) as unknown as Pick<Parsed, "record" | "raw">[];
    if (first) return { cells: first.record, breaks: breaksIn(first.raw) };
  } catch {
    // An unclosed mark belongs to its cell.
  }
  return { cells: text.split(separator).map((cell) => cell.trim()), breaks: 0 };
}

/** Reads skipped lines of a file again, forwards. */
function rereader(file: CsvFile) {
  const pieces = linesOf(file);
  let piece: Line[] = [];
  return {
    /** The lines from `from` to before `to`. */
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
