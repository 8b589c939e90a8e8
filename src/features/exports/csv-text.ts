const byteOrderMark = "\uFEFF";

/** The byte order mark by which spreadsheets recognise UTF-8, and the header row. RFC 4180. */
export function csvHeader(labels: string[]): Buffer {
  return Buffer.from(`${byteOrderMark}${labels.map(cell).join(",")}\r\n`);
}

function cell(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
