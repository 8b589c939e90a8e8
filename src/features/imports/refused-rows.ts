import { csvLine } from "#domain/csv-line.ts";
import { type CsvFile, readCsv } from "#features/imports/csv-file.ts";
import type { RowProblem } from "#features/imports/csv-table.ts";

const byteOrderMark = "\uFEFF";

/**
 * The rows that have problems, as CSV text: the row's number and what is wrong with it, then the
 * columns of the file as they are there, so that they can be mended and imported again. Nothing is
 * done to what a spreadsheet would run: it is the sender's own file.
 */
export async function refusedRowsAsCsv(
  file: CsvFile,
  problems: RowProblem[],
): Promise<{ rows: number; csv: string }> {
  const reasons = new Map<number, string[]>();
  for (const { line, message } of problems)
    reasons.set(line, [...(reasons.get(line) ?? []), message]);
  const { records } = await readCsv(file);
  const header = await records.next();
  const headings = header.done ? [] : (header.value.values ?? []);
  const written = [csvLine(["Row", "What is wrong", ...headings])];
  for await (const { line, values = [] } of records) {
    const says = reasons.get(line);
    if (says) written.push(csvLine([String(line), says.join(" "), ...values]));
  }
  return { rows: reasons.size, csv: `${byteOrderMark}${written.join("")}` };
}
