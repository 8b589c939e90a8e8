/**
 * A line of CSV (RFC 4180), ended by CRLF. A cell with a semicolon is quoted, too: spreadsheets of some countries
 * split there.
 */
export const csvLine = (cells: string[]): string => `${cells.map(quotedCell).join(",")}\r\n`;

function quotedCell(text: string): string {
  return /[",;\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
