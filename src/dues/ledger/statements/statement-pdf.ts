import { creditSentence } from "#kit/domain/credit-words.ts";
import { formatDay } from "#kit/domain/day.ts";
import { formatMoney } from "#kit/domain/money.ts";
import {
  amountsOfLine,
  columnsOfAmounts,
  type Statement,
} from "#dues/ledger/statements/contract.ts";
import { page, PdfFile, PdfPage } from "#dues/ledger/statements/pdf-file.ts";
import type { Fonts } from "#dues/ledger/statements/noto-sans.ts";
import { lineHeight, linesOf, type Type } from "#dues/ledger/statements/pdf-type.ts";
import { type PdfPicture, pdfPicture } from "#dues/ledger/statements/pdf-picture.ts";
import {
  type Column,
  ink,
  margin,
  muted,
  type Row,
  tablePages,
  width,
} from "#dues/ledger/statements/pdf-table.ts";
import { PdfText, printedLetters } from "#dues/ledger/statements/pdf-text.ts";

/** The largest size of a logo, in points. */
const logoSpace = { width: 180, height: 54 };

/**
 * A statement as a letter-size PDF. Each page has the table's head and a page number. `logo` is a picture made by
 * `printedLogo`. Thousands of lines take a while, so call this in a thread (pdf-thread.ts).
 */
export function statementPdf(
  statement: Statement,
  logo: Uint8Array | null,
): Uint8Array<ArrayBuffer> {
  const text = new PdfText();
  const types = typesOf(text.fonts);
  const period = `${formatDay(statement.from)} to ${formatDay(statement.to)}`;
  const title = `Statement of ${statement.attorneyName}, ${period}`;
  const picture = logo && pdfPicture(Buffer.from(logo));
  const { fonts } = text;
  const file = new PdfFile({ title, author: statement.brand.name }, { fonts, picture });
  const first = drawHead(statement, { picture, period, text });
  const { columns, rows } = tableOf(statement);
  const shown = rows.map((row) => ({
    ...row,
    cells: row.cells.map((cell) => cut(text.shown(cell))),
  }));
  const [foot = ""] = linesOf(text.shown(title), width - pageWordsWidth, types.foot);
  const below = notesOf(statement, text.hasUnknownLetters);
  const table = { columns, rows: shown, below, fonts };
  for (const { page: drawn, number, count } of tablePages(first, table)) {
    drawFooter(drawn, { owner: foot, pageWords: `Page ${number} of ${count}` }, types.foot);
    file.addPage(drawn);
  }
  return file.end();
}

/** Cuts again, since one letter may be shown as several. */
const cut = (shown: string) =>
  shown.length <= printedLetters ? shown : `${shown.slice(0, printedLetters)}…`;

/** The most lines of each text in the head, to leave room for the table. */
const maxHeadLines = 3;
/** The width of "Page 1,000 of 1,000", in points. */
const pageWordsWidth = 90;

/** Draws the network's letterhead, the attorney and the period. Returns where the table begins. */
function drawHead(
  statement: Statement,
  { picture, period, text }: { picture: PdfPicture | null; period: string; text: PdfText },
): { page: PdfPage; top: number } {
  const { brand } = statement;
  const types = typesOf(text.fonts);
  const drawn = new PdfPage();
  let y = margin;
  const right = { x: margin + width, wide: width / 2 };
  const write = (line: string, type: Type, at: { x: number; wide: number } | null = null) => {
    const color = type === types.small ? muted : ink;
    for (const part of linesOf(text.shown(line), at?.wide ?? width, type).slice(0, maxHeadLines)) {
      if (at) drawn.textUpTo(part, { x: at.x, y }, { type, color });
      else drawn.text(part, { x: margin, y }, { type, color });
      y += lineHeight(type);
    }
  };
  write(brand.name, types.name, right);
  for (const line of [...brand.postalAddress, brand.phone, brand.email].filter(Boolean))
    write(line, types.small, right);
  if (picture) drawn.picture({ x: margin, y: margin }, fitted(picture));
  y = Math.max(y, picture ? margin + logoSpace.height : 0) + 24;
  write("Statement", types.title);
  write(period, types.period);
  y += 0.8 * lineHeight(types.period);
  for (const line of [statement.attorneyName, ...statement.attorneyAddress])
    write(line, types.address);
  return { page: drawn, top: y + 18 };
}

/** The picture's size within `logoSpace`, in points. */
function fitted(picture: PdfPicture): { width: number; height: number } {
  const scale = Math.min(logoSpace.width / picture.width, logoSpace.height / picture.height);
  return { width: picture.width * scale, height: picture.height * scale };
}

const typesOf = ({ plain, bold }: Fonts) =>
  ({
    name: { font: bold, size: 12 },
    small: { font: plain, size: 9 },
    title: { font: bold, size: 18 },
    period: { font: plain, size: 11 },
    address: { font: plain, size: 10 },
    foot: { font: plain, size: 8 },
  }) satisfies Record<string, Type>;

function tableOf(statement: Statement): { columns: Column[]; rows: Row[] } {
  const amounts = columnsOfAmounts(statement);
  const lines = statement.lines.map((line) => {
    const moved = amountsOfLine(line);
    const cells = amounts.map(({ column }) => {
      const amount = moved[column];
      return amount === undefined ? "" : formatMoney(amount);
    });
    return { cells: [formatDay(line.date), line.description, ...cells, formatMoney(line.balance)] };
  });
  const before = ["", "Previous balance", ...amounts.map(() => ""), formatMoney(statement.opening)];
  const after = [
    "",
    `Balance on ${formatDay(statement.asOf)}`,
    ...amounts.map(({ sum }) => formatMoney(sum)),
    formatMoney(statement.closing),
  ];
  return {
    columns: columnsFor([...amounts.map(({ heading }) => heading), "Balance"]),
    rows: [{ cells: before, isBold: true }, ...lines, { cells: after, isBold: true }],
  };
}

function columnsFor(amounts: string[]): Column[] {
  const ofAmount = amounts.length > 4 ? 70 : 78; // five amounts still leave room for a description
  return [
    { heading: "Date", width: 62 },
    { heading: "Description", width: width - 62 - amounts.length * ofAmount },
    ...amounts.map((heading) => ({ heading, width: ofAmount, isAmount: true })),
  ];
}

function notesOf(statement: Statement, lacksLetters: boolean): string[] {
  return [
    ...(statement.credit > 0 ? [creditSentence(statement)] : []),
    ...(lacksLetters
      ? [
          "Some letters cannot be shown in this file and are replaced by ?. The online statement shows them.",
        ]
      : []),
  ];
}

function drawFooter(
  drawn: PdfPage,
  { owner, pageWords }: { owner: string; pageWords: string },
  type: Type,
): void {
  const y = page.height - margin - 6;
  const style = { type, color: muted };
  drawn.text(owner, { x: margin, y }, style);
  drawn.textUpTo(pageWords, { x: margin + width, y }, style);
}
