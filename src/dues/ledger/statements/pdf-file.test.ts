import * as fc from "fast-check";
import { expect, test } from "vitest";
import { notoSans } from "#dues/ledger/statements/noto-sans.ts";
import { PdfFile, PdfPage } from "#dues/ledger/statements/pdf-file.ts";
import { linesOf, widthOf } from "#dues/ledger/statements/pdf-type.ts";
import { pdfPicture } from "#dues/ledger/statements/pdf-picture.ts";
import { aJpeg, aPng, pdfPages } from "#tests/support/pictures.ts";

const type = { font: notoSans().plain, size: 9 };

function aFile(pages: string[], picture: Buffer | null = null): Buffer {
  const fonts = notoSans();
  const info = { title: "Łukasz 漢", author: "(Harbor)" };
  const style = { type: { font: fonts.plain, size: 9 }, color: [0, 0, 0] } as const;
  const file = new PdfFile(info, { fonts, picture: picture && pdfPicture(picture) });
  for (const text of pages) {
    const page = new PdfPage();
    page.text(text, { x: 54, y: 54 }, style);
    file.addPage(page);
  }
  return Buffer.from(file.end());
}

test("each object begins at its offset in the file's table, and the table at the offset in the trailer", () => {
  const file = aFile(["One", "Two"], aPng({ transparency: false })).toString("latin1");
  const [, start] = /startxref\n(\d+)\n%%EOF\n$/.exec(file) ?? [];
  const table = file.slice(Number(start));
  const [, count] = /^xref\n0 (\d+)\n0000000000 65535 f \n/.exec(table) ?? [];
  const offsets = [...table.matchAll(/^(\d{10}) 00000 n $/gm)].map(([, offset]) => Number(offset));
  expect(offsets).toHaveLength(Number(count) - 1);
  for (const [at, offset] of offsets.entries())
    expect(file.slice(offset)).toMatch(new RegExp(`^${at + 1} 0 obj\\n<< `));
  expect(table).toContain(`/Size ${count} /Root 1 0 R /Info 5 0 R`);
});

test("pages have their text as glyphs of the fonts, the title has any letters", () => {
  const file = aFile(["“Zoë” (50%) \\ – €5", "Žižek"]);
  expect(pdfPages(file)).toEqual(["“Zoë” (50%) \\ – €5", "Žižek"]);
  const title = Buffer.from("Łukasz 漢", "utf16le").swap16().toString("hex");
  expect(file.toString("latin1")).toContain(`/Title <feff${title}>`);
});

test("letters of other alphabets are in the file, as glyphs and as text to copy", () => {
  const texts = ["Nguyễn, Łukasz, Їжакевич – €5", "Ωραίος"];
  const file = aFile(texts);
  expect(pdfPages(file)).toEqual(texts);
  expect(file.toString("latin1")).toContain("/CIDToGIDMap /Identity");
  // Only the drawn glyphs of 4,503.
  expect(file.length).toBeLessThan(20_000);
});

test.each([
  [
    "PNG",
    aPng({ transparency: false }),
    "/ColorSpace /DeviceRGB /BitsPerComponent 8 /Filter /FlateDecode",
  ],
  ["JPEG", aJpeg(), "/ColorSpace /DeviceGray /BitsPerComponent 8 /Filter /DCTDecode"],
])("a %s is embedded unchanged, with its format", (_, picture, dictionary) => {
  const file = aFile(["With a picture"], picture);
  expect(file.toString("latin1")).toContain(dictionary);
  expect(file.toString("latin1")).toContain("/XObject << /Picture 6 0 R >>");
});

test("lines keep every word and fit their column, and words are broken only if they must be", () => {
  const words = fc.array(
    fc.string({ minLength: 1, maxLength: 60, unit: fc.constantFrom("i", "W", "é", "€", "x") }),
  );
  fc.assert(
    fc.property(words, fc.integer({ min: 20, max: 300 }), (parts, width) => {
      const lines = linesOf(parts.join(" "), width, type);
      for (const line of lines) expect(widthOf(line, type)).toBeLessThanOrEqual(width + 1e-9);
      expect(lines.join("").replaceAll(" ", "")).toBe(parts.join(""));
      const whole = parts.filter((word) => widthOf(word, type) <= width);
      const found = lines.flatMap((line) => line.split(" "));
      for (const word of whole) expect(found).toContain(word);
    }),
  );
});
