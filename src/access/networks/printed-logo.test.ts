import { deflateSync } from "node:zlib";
import { PNG } from "pngjs";
import { expect, test } from "vitest";
import { readPicture } from "#access/networks/picture.ts";
import { headerOf } from "#access/networks/png.ts";
import { printedLogo } from "#access/networks/printed-logo.ts";
import { aChunk, aJpeg } from "#tests/support/pictures.ts";

/* The logo as stored for PDFs of statements, which need no decoding when drawn. */

type Pixel = [number, number, number];

/** A PNG from rows as stored in the file, each after its filter byte. */
function aPngOf(
  colorType: number,
  width: number,
  rows: number[][],
  { more = [], bits = 8 }: { more?: Buffer[]; bits?: number } = {},
): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(rows.length, 4);
  header.set([bits, colorType], 8);
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    aChunk("IHDR", header),
    ...more,
    aChunk("IDAT", deflateSync(Buffer.from(rows.flat()))),
    aChunk("IEND", Buffer.alloc(0)),
  ]);
}

const printed = async (png: Buffer) => await printedLogo(await readPicture(png));

function pixelsOf(png: Buffer): Pixel[][] {
  const { width, height, bits, colorType } = headerOf(png.subarray(16));
  expect([bits, colorType]).toEqual([8, 2]);
  const { data } = PNG.sync.read(png);
  return Array.from({ length: height }, (_, row) =>
    Array.from({ length: width }, (__, at) => {
      const [red = 0, green = 0, blue = 0] = data.subarray(4 * (row * width + at));
      return [red, green, blue] satisfies Pixel;
    }),
  );
}

test("a JPEG is printed unchanged", async () => {
  const jpeg = await readPicture(aJpeg());
  expect(await printedLogo(jpeg)).toBe(jpeg.bytes);
});

test("transparent pixels are put on white", async () => {
  const rows = [
    [0, /**/ 200, 100, 0, 128, /**/ 9, 9, 9, 0],
    [0, /**/ 1, 2, 3, 255, /**/ 0, 0, 0, 51],
  ];
  expect(pixelsOf(await printed(aPngOf(6, 2, rows)))).toEqual([
    [
      [227, 177, 127],
      [255, 255, 255],
    ],
    [
      [1, 2, 3],
      [204, 204, 204],
    ],
  ]);
});

test("transparent gray and transparent palette colors are put on white too", async () => {
  const gray = aPngOf(4, 2, [[0, /**/ 100, 255, /**/ 100, 0]]);
  expect(pixelsOf(await printed(gray))).toEqual([
    [
      [100, 100, 100],
      [255, 255, 255],
    ],
  ]);
  const palette = aChunk("PLTE", Buffer.from([255, 0, 0, /**/ 0, 0, 255, /**/ 0, 255, 0]));
  const opacities = aChunk("tRNS", Buffer.from([0, 255])); // the third color has no entry, so it is opaque
  const indexed = aPngOf(3, 3, [[0, 0, 1, 2]], { more: [palette, opacities] });
  expect(pixelsOf(await printed(indexed))).toEqual([
    [
      [255, 255, 255],
      [0, 0, 255],
      [0, 255, 0],
    ],
  ]);
});

test("PNGs of 1 bit per pixel and 16 bits per color are printed with 8 bits", async () => {
  const line = aPngOf(0, 3, [[0, 0b1010_0000]], { bits: 1 });
  expect(pixelsOf(await printed(line))).toEqual([
    [
      [255, 255, 255],
      [0, 0, 0],
      [255, 255, 255],
    ],
  ]);
  const deep = aPngOf(2, 1, [[0, 255, 255, 0, 0, 255, 255]], { bits: 16 });
  expect(pixelsOf(await printed(deep))).toEqual([[[255, 0, 255]]]);
});

test("bit depths that no browser shows are refused", async () => {
  const palette = { more: [aChunk("PLTE", Buffer.from([255, 0, 0]))] };
  for (const png of [
    aPngOf(6, 2, [[0, 1, 2, 3, 4]], { bits: 4 }),
    aPngOf(2, 2, [[0, 1, 2, 3]], { bits: 4 }),
    aPngOf(3, 1, [[0, 0, 0]], { bits: 16, ...palette }),
  ])
    await expect(readPicture(png)).rejects.toThrow("cannot be read");
});

test("a color that its palette lacks is refused", async () => {
  const more = [aChunk("PLTE", Buffer.from([255, 0, 0]))];
  await expect(printed(aPngOf(3, 1, [[0, 7]], { more }))).rejects.toThrow("cannot be read");
});

test("a large PNG is reduced to its printed size, each pixel the mean of those it covers", async () => {
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
  expect(Math.max(...reds.map((red) => Math.abs(red - 128)))).toBeLessThan(27); // means of four or five rows
});
