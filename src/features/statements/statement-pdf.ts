import type { Readable } from "node:stream";
import { setImmediate } from "node:timers/promises";
import { formatDay } from "#domain/day.ts";
import { formatMoney, zero } from "#domain/money.ts";
import { columnOfLine, columnTotals, type Statement } from "#features/statements/contract.ts";
import { hasUnknownLetters, pdfText } from "#features/statements/pdf-text.ts";

type Document = PDFKit.PDFDocument;

const margin = 54;
const page = { width: 612, height: 792 };
const width = page.width - 2 * margin;
/** Where the table ends; below it stand the page's number and whose statement it is. */
const bottom = page.height - margin - 24;
const size = 9;
const ink = "#1a1c23";
const muted = "#5b6070";
const rule = "#b9bdc9";

/** Longer ones are cut: the statement's page has them whole. */
const longest = 400;

interface TableColumn {
  heading: string;
  width: number;
  amount?: boolean;
}

function columnsFor(amounts: string[]): TableColumn[] {
  const ofAmount = 78;
  return [
    { heading: "Date", width: 62 },
    { heading: "Description", width: width - 62 - amounts.length * ofAmount },
    ...amounts.map((heading) => ({ heading, width: ofAmount, amount: true })),
  ];
}

const descriptionAt = 1;

/**
 * A statement as a PDF of letter size, to be streamed. Each page repeats the head of the table and says which one it
 * is. `logo` is a picture that `readPicture` has read.
 */
export async function statementPdf(statement: Statement, logo: Buffer | null): Promise<Readable> {
  const { default: PDFDocument } = await import("pdfkit"); // large, and seldom needed
  const doc = new PDFDocument({
    size: "LETTER",
    margin,
    bufferPages: true, // the last page's number stands on each
    lang: "en-US",
    displayTitle: true,
    info: { Title: titleOf(statement), Author: pdfText(statement.brand.name) },
  });
  doc.fontSize(size).fillColor(ink);
  const top = drawHead(doc, statement, logo);
  const totals = columnTotals(statement);
  const isAdjusted = totals.adjustments !== null;
  const inColumns = (texts: { charges?: string; payments?: string; adjustments?: string }) => [
    texts.charges ?? "",
    texts.payments ?? "",
    ...(isAdjusted ? [texts.adjustments ?? ""] : []),
  ];
  const headings = inColumns({
    charges: "Charges",
    payments: "Payments",
    adjustments: "Adjustments",
  });
  const table = new Table(doc, top, columnsFor([...headings, "Balance"]));
  table.row(["", "Owed before", ...inColumns({}), formatMoney(statement.opening)], {
    isBold: true,
  });
  for (const [at, line] of statement.lines.entries()) {
    if (at % 100 === 99) await setImmediate(); // thousands take a second: others are answered meanwhile
    const { column, amount } = columnOfLine(line);
    table.row([
      formatDay(line.date),
      shortened(line.description),
      ...inColumns({ [column]: formatMoney(amount) }),
      formatMoney(line.balance),
    ]);
  }
  table.row(
    [
      "",
      `Owed on ${formatDay(statement.asOf)}`,
      ...inColumns({
        charges: formatMoney(totals.charges),
        payments: formatMoney(totals.payments),
        adjustments: formatMoney(totals.adjustments ?? zero),
      }),
      formatMoney(statement.closing),
    ],
    { isBold: true },
  );
  drawCredit(doc, statement, table.y);
  drawFooters(doc, statement);
  doc.end();
  return doc;
}

const titleOf = ({ attorneyName, from, to }: Statement) =>
  pdfText(`Statement of ${attorneyName}, ${formatDay(from)} to ${formatDay(to)}`);

const shortened = (text: string) =>
  text.length > longest ? `${Array.from(text).slice(0, longest).join("")}…` : text;

/** The network on top, then whose statement it is and of which days. Answers where the table begins. */
function drawHead(doc: Document, statement: Statement, logo: Buffer | null): number {
  const { brand } = statement;
  const lines = [...brand.postalAddress, brand.phone, brand.email].filter(Boolean);
  if (logo) doc.image(logo, margin, margin, { fit: [180, 54] });
  const place = { width: width / 2, align: "right" } as const;
  doc.font("Helvetica-Bold").fontSize(12);
  doc.text(pdfText(brand.name), margin + width / 2, margin, place);
  doc.font("Helvetica").fontSize(size).fillColor(muted);
  for (const line of lines) doc.text(pdfText(line), place);
  const y = Math.max(doc.y, logo ? margin + 54 : 0) + 24;
  doc.font("Helvetica-Bold").fontSize(18).fillColor(ink).text("Statement", margin, y);
  doc.font("Helvetica").fontSize(11);
  doc.text(`${formatDay(statement.from)} to ${formatDay(statement.to)}`);
  doc.moveDown(0.8).fontSize(10);
  for (const line of [statement.attorneyName, ...statement.attorneyAddress])
    doc.text(pdfText(line), { width });
  return doc.y + 18;
}

class Table {
  readonly doc: Document;
  readonly columns: TableColumn[];
  y: number;

  constructor(doc: Document, top: number, columns: TableColumn[]) {
    this.doc = doc;
    this.columns = columns;
    this.y = top;
    this.head();
  }

  row(cells: string[], { isBold = false } = {}): void {
    const { doc } = this;
    doc.font(isBold ? "Helvetica-Bold" : "Helvetica").fontSize(size);
    const texts = cells.map(pdfText);
    const height = doc.heightOfString(texts[descriptionAt] ?? "", {
      width: innerWidth(this.columns[descriptionAt]),
    }); // the others have one line
    if (this.y + height + 8 > bottom) {
      doc.addPage();
      this.y = margin;
      this.head();
      doc.font(isBold ? "Helvetica-Bold" : "Helvetica").fontSize(size);
    }
    this.draw(texts);
    this.y += height + 8;
    doc
      .moveTo(margin, this.y - 3)
      .lineTo(margin + width, this.y - 3)
      .lineWidth(isBold ? 1 : 0.5)
      .strokeColor(rule)
      .stroke();
  }

  private head(): void {
    const { doc } = this;
    doc.font("Helvetica-Bold").fontSize(size).fillColor(muted);
    this.draw(this.columns.map(({ heading }) => heading));
    doc.fillColor(ink);
    this.y += 18;
  }

  private draw(texts: string[]): void {
    let x = margin;
    for (const [at, column] of this.columns.entries()) {
      const align = column.amount ? "right" : "left";
      this.doc.text(texts[at] ?? "", x, this.y, { width: innerWidth(column), align });
      x += column.width;
    }
  }
}

const innerWidth = (column: TableColumn | undefined) =>
  (column?.width ?? 0) - (column?.amount ? 0 : 8);

function drawCredit(doc: Document, statement: Statement, y: number): void {
  const texts = [
    ...(statement.credit > 0
      ? [
          `Credit on ${formatDay(statement.asOf)}: ${formatMoney(statement.credit)}. It is kept for what falls due later, and is not part of the balance.`,
        ]
      : []),
    ...(hasUnknownLetters(JSON.stringify(statement))
      ? ["Letters that this file cannot show are replaced by ?. The statement's page shows them."]
      : []),
  ];
  doc.font("Helvetica").fontSize(size);
  doc.x = margin;
  doc.y = y + 10;
  for (const text of texts) {
    if (doc.y + 24 > bottom) doc.addPage();
    doc.text(pdfText(text), { width });
  }
}

function drawFooters(doc: Document, statement: Statement): void {
  const { start, count } = doc.bufferedPageRange();
  for (let at = start; at < start + count; at += 1) {
    doc.switchToPage(at);
    doc.page.margins.bottom = 0; // else text below it begins another page
    doc.font("Helvetica").fontSize(8).fillColor(muted);
    const y = page.height - margin - 6;
    const line = { lineBreak: false, ellipsis: true, height: 12 };
    doc.text(titleOf(statement).slice(0, 90), margin, y, { ...line, width: width - 90 });
    doc.text(`Page ${at - start + 1} of ${count}`, margin + width - 90, y, {
      ...line,
      width: 90,
      align: "right",
    });
  }
}
