import { csvLine } from "#kit/domain/csv-line.ts";
import { parseRelaxed, type CsvFile, readCsv } from "#kit/imports/csv-file.ts";
import type { RowProblem } from "#kit/imports/csv-table.ts";

const byteOrderMark = "\uFEFF";

/**
 * The rows with problems as CSV text: row number, problem, then the file's columns unchanged, so that they can be
 * corrected and imported again. Unreadable rows have the cells that can be separated. Formulas are not neutralized: it
 * is the sender's own file.
 */
export async function refusedRowsAsCsv(
  file: CsvFile,
  problems: RowProblem[],
): Promise<{ rows: number; csv: string }> {
  const reasons = new Map<number, string[]>();
  for (const { line, message } of problems)
    reasons.set(line, [...(reasons.get(line) ?? []), message]);
  const { separator, records } = await readCsv(file);
  const header = await records.next();
  const headings = header.done ? [] : header.value.values;
  const written = [csvLine(["Row", "What is wrong", ...headings])];
  const write = (line: number, says: string, cells: string[]) =>
    written.push(csvLine([String(line), says, ...cells]));
  for await (const { line, values, problem = "", unread } of records) {
    const says = reasons.get(line)?.join(" ");
    if (says && !unread) write(line, says, values);
    for (const { line: place, text } of unread ?? [])
      write(place, reasons.get(place)?.join(" ") ?? problem, parseRelaxed(text, separator).cells);
  }
  return { rows: written.length - 1, csv: `${byteOrderMark}${written.join("")}` };
}
