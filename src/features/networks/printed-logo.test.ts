import { deflateSync, inflateSync } from "node:zlib";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { readPicture } from "#features/networks/picture.ts";
import { chunksOf, headerOf } from "#features/networks/png.ts";
import { printedLogo } from "#features/networks/printed-logo.ts";
import { aChunk, aJpeg, aPng } from "#tests/support/pictures.ts";

/* What a statement's PDF holds of a logo: nothing is decoded when one is drawn. */

type Pixel = [number, number, number];

/** A PNG of 8 bits; its rows are as they stand in the file, each with its filter before it. */
function aPngOf(colorType: number, width: number, rows: number[][], more: Buffer[] = []): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(rows.length, 4);
  header.set([8, colorType], 8);
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    aChunk("IHDR", header),
    ...more,
    aChunk("IDAT", deflateSync(Buffer.from(rows.flat()))),
    aChunk("IEND", Buffer.alloc(0)),
  ]);
}

const printed = async (png: Buffer) => await printedLogo(await readPicture(png));

/** The pixels of a PNG as `printedLogo` writes them. */
function pixelsOf(png: Buffer): Pixel[][] {
  const chunks = [...chunksOf(png)];
  const data = (name: string) => chunks.find(({ type }) => type === name)?.data ?? Buffer.alloc(13);
  const { width, height, bits, colorType } = headerOf(data("IHDR"));
  expect([bits, colorType]).toEqual([8, 2]);
  const rows = inflateSync(data("IDAT"));
  return Array.from({ length: height }, (_, row) =>
    Array.from({ length: width }, (__, at) => {
      const [red = 0, green = 0, blue = 0] = rows.subarray(row * (width * 3 + 1) + 1 + at * 3);
      return [red, green, blue] satisfies Pixel;
    }),
  );
}

test("a JPEG, and a PNG that nothing is seen through, are printed as they are", async () => {
  const jpeg = await readPicture(aJpeg());
  expect(await printedLogo(jpeg)).toBe(jpeg.bytes);
  const opaque = await readPicture(aPng({ width: 1000, height: 50, transparency: false }));
  expect(await printedLogo(opaque)).toBe(opaque.bytes);
});

/** A row as a PNG has it with one of the five filters: what is left of each byte when its neighbors are known. */
function filtered(filter: number, row: number[], above: number[], samples: number): number[] {
  const nearest = (left: number, up: number, upLeft: number) =>
    [left, up, upLeft].toSorted(
      (one, other) => Math.abs(left + up - upLeft - one) - Math.abs(left + up - upLeft - other),
    )[0] ?? 0; // sorting is stable: the left one first
  const rest = row.map((value, at) => {
    const left = row[at - samples] ?? 0;
    const up = above[at] ?? 0;
    const upLeft = at < samples ? 0 : (above[at - samples] ?? 0);
    const guesses = [0, left, up, Math.floor((left + up) / 2), nearest(left, up, upLeft)];
    return (value - (guesses[filter] ?? 0) + 256) % 256;
  });
  return [filter, ...rest];
}

const blended = (ink: number, alpha: number) =>
  Math.round((ink * alpha + 255 * (255 - alpha)) / 255);

const byte = fc.nat(255);
const pictures = fc.integer({ min: 1, max: 9 }).chain((width) =>
  fc.record({
    width: fc.constant(width),
    rows: fc.array(
      fc.record({
        filter: fc.nat(4),
        pixels: fc.array(fc.tuple(byte, byte, byte, byte), { minLength: width, maxLength: width }),
      }),
      { minLength: 1, maxLength: 9 },
    ),
  }),
);

test("what is seen through is put on white, whatever filter its rows have", async () => {
  await fc.assert(
    fc.asyncProperty(pictures, async ({ width, rows }) => {
      const samples = rows.map(({ pixels }) => pixels.flat());
      const file = rows.map(({ filter }, row) =>
        filtered(filter, samples[row] ?? [], samples[row - 1] ?? [], 4),
      );
      expect(pixelsOf(await printed(aPngOf(6, width, file)))).toEqual(
        rows.map(({ pixels }) =>
          pixels.map(([red, green, blue, alpha]) =>
            [red, green, blue].map((ink) => blended(ink, alpha)),
          ),
        ),
      );
    }),
  );
});

test("gray with an opacity, and a palette with one, are put on white too", async () => {
  const gray = aPngOf(4, 2, [[0, /**/ 100, 255, /**/ 100, 0]]);
  expect(pixelsOf(await printed(gray))).toEqual([
    [
      [100, 100, 100],
      [255, 255, 255],
    ],
  ]);
  const palette = aChunk("PLTE", Buffer.from([255, 0, 0, /**/ 0, 0, 255, /**/ 0, 255, 0]));
  const opacities = aChunk("tRNS", Buffer.from([0, 255])); // the third color has none: it is opaque
  const indexed = aPngOf(3, 3, [[0, 0, 1, 2]], [palette, opacities]);
  expect(pixelsOf(await printed(indexed))).toEqual([
    [
      [255, 255, 255],
      [0, 0, 255],
      [0, 255, 0],
    ],
  ]);
});

test("a large one is no larger than it is printed, each pixel the mean of those that lie there", async () => {
  const white = Array.from({ length: 500 }, () => [255, 255, 255, 255]).flat();
  const black = Array.from({ length: 500 }, () => [0, 0, 0, 255]).flat();
  const rows = Array.from({ length: 1000 }, () => [0, ...white, ...black]);
  const pixels = pixelsOf(await printed(aPngOf(6, 1000, rows)));
  expect([pixels.length, pixels[0]?.length]).toEqual([216, 216]);
  expect(pixels[100]?.[0]).toEqual([255, 255, 255]);
  expect(pixels[100]?.[215]).toEqual([0, 0, 0]);
  const stripes = Array.from({ length: 1000 }, (_, row) => [0, ...(row % 2 ? white : black)]);
  const shrunk = pixelsOf(await printed(aPngOf(6, 500, stripes)));
  const reds = shrunk.flat().map(([red]) => red);
  expect(Math.max(...reds.map((red) => Math.abs(red - 128)))).toBeLessThan(27); // of four or five rows
});
