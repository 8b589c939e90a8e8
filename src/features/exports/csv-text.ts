const byteOrderMark = "\uFEFF";

/** What a file begins with: the mark by which spreadsheets know UTF-8, and the header row. RFC 4180. */
export function beginningOf(labels: string[]): Buffer {
  return Buffer.from(`${byteOrderMark}${labels.map(cell).join(",")}\r\n`);
}

function cell(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
