import { type Color, page, PdfPage } from "#dues/ledger/statements/pdf-file.ts";
import type { Fonts } from "#dues/ledger/statements/noto-sans.ts";
import { lineHeight, linesOf, type Type } from "#dues/ledger/statements/pdf-type.ts";

/** The margin around each page, in points. */
export const margin = 54;
export const width = page.width - 2 * margin;

export const ink: Color = [0.1, 0.11, 0.14];
export const muted: Color = [0.36, 0.38, 0.44];
const rule: Color = [0.73, 0.74, 0.79];

const size = 9;
const headHeight = 18;
/** Where the table ends. The page number and the attorney's name are below it. */
const bottom = page.height - margin - 24;

export interface Column {
  heading: string;
  width: number;
  /** Right-aligned, on one line. */
  isAmount?: boolean;
}

export interface Row {
  /** In the order of the columns. */
  cells: string[];
  isBold?: boolean;
}

/** A row of the table or a line of text. */
interface Block {
  height: number;
  isRow: boolean;
  draw: (on: PdfPage, y: number) => void;
}

/**
 * The pages of a table with notes below it. It starts at `top` of the `first` page; each further page repeats the
 * head. Pages are drawn one at a time, so only one is in memory.
 */
export function* tablePages(
  first: { page: PdfPage; top: number },
  table: { columns: Column[]; rows: Row[]; below: string[]; fonts: Fonts },
): Generator<{ page: PdfPage; number: number; count: number }> {
  const columns = placed(table.columns);
  const types = typesOf(table.fonts);
  const blocks = [
    ...table.rows.map((row) => rowBlock(row, columns, types)),
    ...table.below.flatMap((note, at) => textBlocks(note, types.text, at === 0 ? 10 : 0)),
  ];
  const pages = pagesOf(blocks, first.top);
  for (const [at, shown] of pages.entries()) {
    const drawn = at === 0 ? first.page : new PdfPage();
    let y = at === 0 ? first.top : margin;
    if (at === 0 || shown.some(({ isRow }) => isRow)) {
      drawHead(drawn, columns, { y, type: types.strong });
      y += headHeight;
    }
    for (const { height, draw } of shown) {
      draw(drawn, y);
      y += height;
    }
    yield { page: drawn, number: at + 1, count: pages.length };
  }
}

function pagesOf(blocks: Block[], top: number): Block[][] {
  let shown: Block[] = [];
  const pages = [shown];
  let y = top + headHeight;
  for (const block of blocks) {
    if (y + block.height > bottom) {
      shown = [];
      pages.push(shown);
      y = margin + headHeight;
    }
    shown.push(block);
    y += block.height;
  }
  return pages;
}

interface PlacedColumn extends Column {
  left: number;
  right: number;
}

function placed(columns: Column[]): PlacedColumn[] {
  let right = margin;
  return columns.map((column) => {
    const left = right;
    right += column.width;
    return { ...column, left, right: column.isAmount ? right : right - 8 };
  });
}

const typesOf = ({ plain, bold }: Fonts) => ({
  text: { font: plain, size } satisfies Type,
  strong: { font: bold, size } satisfies Type,
});

function rowBlock(
  { cells, isBold = false }: Row,
  columns: PlacedColumn[],
  { text, strong }: ReturnType<typeof typesOf>,
): Block {
  const type = isBold ? strong : text;
  const lines = () =>
    columns.map(({ isAmount, left, right }, at) =>
      isAmount ? [cells[at] ?? ""] : linesOf(cells[at] ?? "", right - left, type),
    );
  const height = Math.max(...lines().map(({ length }) => length)) * lineHeight(type) + 8;
  const draw = (on: PdfPage, y: number) => {
    // Broken into lines again: keeping the lines of all rows would take too much memory.
    drawCells(on, { lines: lines(), columns, y }, { type, color: ink });
    const line = isBold ? 1 : 0.5;
    on.rule({ x: margin, y: y + height - 3 }, width, { line, color: rule });
  };
  return { height, isRow: true, draw };
}

function drawHead(
  on: PdfPage,
  columns: PlacedColumn[],
  { y, type }: { y: number; type: Type },
): void {
  const lines = columns.map(({ heading }) => [heading]);
  drawCells(on, { lines, columns, y }, { type, color: muted });
}

function drawCells(
  on: PdfPage,
  { lines, columns, y }: { lines: string[][]; columns: PlacedColumn[]; y: number },
  style: { type: Type; color: Color },
): void {
  for (const [at, { left, right, isAmount }] of columns.entries())
    for (const [number, line] of (lines[at] ?? []).entries()) {
      const top = y + number * lineHeight(style.type);
      if (line === "") continue;
      if (isAmount) on.textUpTo(line, { x: right, y: top }, style);
      else on.text(line, { x: left, y: top }, style);
    }
}

/** Full-width text, with `above` points of space before its first line. */
function textBlocks(note: string, type: Type, above: number): Block[] {
  return linesOf(note, width, type).map((line, at) => {
    const space = at === 0 ? above : 0;
    return {
      height: lineHeight(type) + space,
      isRow: false,
      draw: (on, y) => on.text(line, { x: margin, y: y + space }, { type, color: ink }),
    };
  });
}
