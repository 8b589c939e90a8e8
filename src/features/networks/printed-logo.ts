import { setImmediate as nextTurn } from "node:timers/promises";
import type { Picture } from "#features/networks/picture.ts";
import {
  type Chunk,
  chunksOf,
  damaged,
  headerOf,
  type PngHeader,
  pngOf,
  samplesOf,
  unpackedRows,
} from "#features/networks/png.ts";

/** Four times as many pixels as it is printed with points: what a printer shows. */
const most = { width: 4 * 180, height: 4 * 54 };

/** Rows after which others have their turn: a few milliseconds. */
const rowsAtOnce = 16;

/**
 * A picture as a PDF can hold it without decoding anything: itself, unless it lets what is behind it through. Such a
 * PNG is put on the white of the paper, and is no larger than it is printed. Its pixels are read in turns with other
 * work. `bytes` are those of a picture that `readPicture` has read.
 */
export async function printedLogo({
  mediaType,
  bytes,
}: Pick<Picture, "mediaType" | "bytes">): Promise<Buffer> {
  if (mediaType === "image/jpeg") return bytes;
  const chunks = [...chunksOf(bytes)];
  const header = headerOf(dataOf(chunks, "IHDR"));
  const palette = { colors: dataOf(chunks, "PLTE"), alphas: dataOf(chunks, "tRNS") };
  if (header.colorType < 4 && palette.alphas.length === 0) return bytes;
  const samples = samplesOf(header) ?? 1;
  const rowBytes = header.width * samples; // of 8 bits each: readPicture lets no other ones be seen through
  const rows = await unpackedRows(chunks, header.height * (rowBytes + 1));
  if (!rows) throw damaged();
  const shrunk = new ShrunkPicture(header);
  let above: Uint8Array = new Uint8Array(rowBytes);
  for (let row = 0; row < header.height; row += 1) {
    const start = row * (rowBytes + 1);
    const pixels = rows.subarray(start + 1, start + 1 + rowBytes);
    unfilter(rows[start] ?? 0, pixels, above, samples);
    shrunk.add(row, onWhite(pixels, header, palette));
    above = pixels;
    if (row % rowsAtOnce === rowsAtOnce - 1) await nextTurn();
  }
  return await pngOf(shrunk.width, shrunk.height, shrunk.rows);
}

const dataOf = (chunks: Chunk[], name: string): Buffer =>
  chunks.find(({ type }) => type === name)?.data ?? Buffer.alloc(0);

/** Turn a row of a PNG into what it stands for, in place: each byte was written as a difference. */
function unfilter(filter: number, row: Uint8Array, above: Uint8Array, samples: number): void {
  for (let at = 0; at < row.length; at += 1) {
    const left = at < samples ? 0 : (row[at - samples] ?? 0);
    const up = above[at] ?? 0;
    const upLeft = at < samples ? 0 : (above[at - samples] ?? 0);
    row[at] = (row[at] ?? 0) + predicted(filter, left, up, upLeft);
  }
}

/** By the five filters of PNG (RFC 2083, 6). */
function predicted(filter: number, left: number, up: number, upLeft: number): number {
  if (filter === 1) return left;
  if (filter === 2) return up;
  if (filter === 3) return (left + up) >> 1;
  if (filter !== 4) return 0;
  const [fromLeft, fromUp] = [Math.abs(up - upLeft), Math.abs(left - upLeft)];
  const fromUpLeft = Math.abs(left + up - 2 * upLeft);
  if (fromLeft <= fromUp && fromLeft <= fromUpLeft) return left;
  return fromUp <= fromUpLeft ? up : upLeft;
}

/** A row's pixels as red, green and blue on white. */
function onWhite(
  row: Uint8Array,
  { colorType, width }: PngHeader,
  { colors, alphas }: { colors: Uint8Array; alphas: Uint8Array },
): Uint8Array {
  const samples = row.length / width;
  const shown = new Uint8Array(width * 3);
  for (let at = 0; at < width; at += 1) {
    const first = row[at * samples] ?? 0;
    const alpha = (colorType === 3 ? alphas[first] : row[(at + 1) * samples - 1]) ?? 255;
    for (let color = 0; color < 3; color += 1) {
      const ink =
        (colorType === 3
          ? colors[first * 3 + color]
          : row[at * samples + (colorType === 6 ? color : 0)]) ?? 0;
      shown[at * 3 + color] = Math.round((ink * alpha + 255 * (255 - alpha)) / 255);
    }
  }
  return shown;
}

/** A picture that is made smaller row by row: each of its pixels is the mean of those that lie there. */
class ShrunkPicture {
  readonly width: number;
  readonly height: number;
  /** Red, green and blue of each pixel. */
  readonly rows: Buffer;
  readonly #full: { width: number; height: number };
  readonly #sums: Uint32Array;

  constructor(full: { width: number; height: number }) {
    const scale = Math.min(1, most.width / full.width, most.height / full.height);
    this.width = Math.max(1, Math.round(full.width * scale));
    this.height = Math.max(1, Math.round(full.height * scale));
    this.rows = Buffer.alloc(this.width * this.height * 3);
    this.#full = full;
    this.#sums = new Uint32Array(this.width * 4);
  }

  /** Rows are added from above. */
  add(row: number, pixels: Uint8Array): void {
    const sums = this.#sums;
    for (let at = 0; at < this.#full.width; at += 1) {
      const to = this.#placed(at, "width") * 4;
      for (let color = 0; color < 3; color += 1)
        sums[to + color] = (sums[to + color] ?? 0) + (pixels[at * 3 + color] ?? 0);
      sums[to + 3] = (sums[to + 3] ?? 0) + 1;
    }
    const place = this.#placed(row, "height");
    if (row + 1 < this.#full.height && this.#placed(row + 1, "height") === place) return;
    for (let at = 0; at < this.width; at += 1)
      for (let color = 0; color < 3; color += 1)
        this.rows[(place * this.width + at) * 3 + color] = Math.round(
          (sums[at * 4 + color] ?? 0) / (sums[at * 4 + 3] ?? 1),
        );
    sums.fill(0);
  }

  #placed(at: number, side: "width" | "height"): number {
    return Math.floor((at * this[side]) / this.#full[side]);
  }
}
