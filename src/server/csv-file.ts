import { isUtf8 } from "node:buffer";
import { type FileHandle, open } from "node:fs/promises";
import { resolve } from "node:path";
import { Readable } from "node:stream";
import { parse, type Parser } from "csv-parse";
import { Refusal } from "#server/refusal.ts";

export const encodings = ["utf-8", "windows-1252"] as const;
export type Encoding = (typeof encodings)[number];

/** One record of a file: its values, or why it has none. `line` is where it begins, counted from 1. */
export type CsvRecord = { line: number } & (
  | { values: string[]; problem?: undefined }
  | { problem: string; values?: undefined }
);

/** Longer than any record that the product takes: what is longer is a quotation mark never closed. */
const longestRecord = 128 * 1024;

/**
 * Read a CSV file (RFC 4180, any line ends, with or without a byte order mark) record by record, in
 * constant memory. Values are trimmed; records without any value are left out. A stray quotation mark
 * spoils its record; marks that do not match end the reading, since nobody can say where such a
 * record ends. Throws a Refusal when the file cannot be read or is not in the encoding.
 */
export async function* readCsv(path: string, encoding: Encoding): AsyncGenerator<CsvRecord> {
  const file = await openFile(path);
  try {
    const { records, straysBefore, brokenOn } = parsing(wholeLines(file, encoding));
    let linesRead = 0;
    for await (const { record, raw, info } of records) {
      if (info.lines >= brokenOn()) break;
      const line = info.lines - (raw.trim().match(/\n/g)?.length ?? 0);
      yield* straysBefore(line);
      yield { line, values: record };
      linesRead = info.lines;
    }
    yield* straysBefore(brokenOn());
    if (brokenOn() < Infinity) {
      const problem =
        "The quotation marks do not match, so this row and all after it cannot be read.";
      yield { line: linesRead + 1, problem };
    }
  } finally {
    await file.close();
  }
}

const strayMark = 'A quotation mark stands inside a value: write it twice, "".';

interface Parsed {
  record: string[];
  raw: string;
  /** `lines`: the line on which the record ends. */
  info: { lines: number };
}

/** csv-parse, and what it has skipped: it runs ahead of who reads its records. */
function parsing(text: AsyncIterable<string>) {
  const strays = new Set<number>();
  let broken = Infinity;
  const parser: Parser = parse({
    info: true,
    raw: true,
    trim: true,
    record_delimiter: "\n",
    relax_column_count: true,
    skip_empty_lines: true,
    skip_records_with_empty_values: true,
    skip_records_with_error: true,
    max_record_size: longestRecord,
  });
  parser.on("skip", ({ code, lines }: { code: string; lines: number }) => {
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
    /** The records spoilt by stray marks before a line, each answered once. */
    straysBefore: (before: number): CsvRecord[] => {
      const lines: number[] = [];
      for (const line of strays) {
        if (line >= before) break;
        strays.delete(line);
        lines.push(line);
      }
      return lines.map((line) => ({ line, problem: strayMark }));
    },
  };
}

/** The file's text in pieces that end with a line, line ends made one kind, so that lines can be counted. */
async function* wholeLines(file: FileHandle, encoding: Encoding): AsyncGenerator<string> {
  let rest: Buffer = Buffer.alloc(0);
  let line = 1;
  const decode = (bytes: Buffer) => {
    if (encoding === "utf-8") refuseOtherEncoding(bytes, line);
    const text = new TextDecoder(encoding).decode(bytes).replace(/\r\n?/g, "\n");
    line += text.match(/\n/g)?.length ?? 0;
    return text;
  };
  const source: AsyncIterable<Buffer> = file.createReadStream({ autoClose: false });
  for await (const chunk of source) {
    const bytes = Buffer.concat([rest, chunk]);
    const end = endOfLines(bytes);
    if (end === 0 && bytes.length > longestRecord)
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
  // One character a byte: lines can be told apart, whatever the encoding.
  const lines = bytes.toString("latin1").split(/\r\n?|\n/);
  const wrong = lines.findIndex((text) => !isUtf8(Buffer.from(text, "latin1")));
  throw new Refusal(
    422,
    `Line ${firstLine + wrong} of the file is not UTF-8 text. Save the file as "CSV UTF-8"; if it comes from an older Windows program, import it with --encoding windows-1252.`,
  );
}

async function openFile(path: string): Promise<FileHandle> {
  try {
    // npm runs commands in the project's folder and keeps the caller's own here.
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
