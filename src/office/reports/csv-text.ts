import { parse } from "csv-parse/sync";
import { csvLine } from "#kit/domain/csv-line.ts";
import { guarded } from "#kit/domain/formula-guard.ts";

const byteOrderMark = "\uFEFF";

/** The byte order mark by which spreadsheets recognize UTF-8, and the header row. RFC 4180. */
export function csvHeader(labels: string[]): Buffer {
  return Buffer.from(`${byteOrderMark}${csvLine(labels)}`);
}

/** Whole lines from the database, with the cells for which `wordsOf` returns text replaced. */
export function rewriteLines(
  piece: Buffer,
  wordsOf: (cell: string, column: number) => string | undefined,
): Buffer {
  const lines: string[][] = parse(piece, { record_delimiter: "\r\n" });
  const wordsOrCell = (cell: string, column: number) => {
    const words = wordsOf(cell, column);
    return words === undefined ? cell : guarded(words);
  };
  return Buffer.from(lines.map((cells) => csvLine(cells.map(wordsOrCell))).join(""));
}
