import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { deflateSync } from "node:zlib";
import { TrueType } from "#dues/ledger/statements/true-type.ts";

/*
 * Noto Sans, with all Latin letters (Vietnamese too), Greek and Cyrillic. Each PDF embeds the glyphs it uses, as
 * the font's license (SIL OFL 1.1) allows.
 */

const require = createRequire(import.meta.url);

/** Loaded when first needed: 630 kB each. */
let files: { plain: TrueType; bold: TrueType } | undefined;

export type Fonts = Record<"plain" | "bold", Font>;

/** Adds an object to the file and returns its number. */
export type AddObject = (dictionary: string, data?: Buffer) => number;

/** The fonts for one file. They record the letters it uses. */
export function notoSans(): Fonts {
  files ??= {
    plain: read(require.resolve("@expo-google-fonts/noto-sans/400Regular/NotoSans_400Regular.ttf")),
    bold: read(require.resolve("@expo-google-fonts/noto-sans/700Bold/NotoSans_700Bold.ttf")),
  };
  return {
    plain: new Font("F1", "NotoSans-Regular", files.plain),
    bold: new Font("F2", "NotoSans-Bold", files.bold),
  };
}

const read = (path: string) => new TrueType(readFileSync(path));

/**
 * Letters that need no joining or placing. The font also has Devanagari, which needs joining, and combining
 * marks, which need placing above a letter.
 */
const single =
  /^(?![\p{M}\p{Default_Ignorable_Code_Point}])[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Common}]$/u;

export class Font {
  /** Its name in a page's drawing. */
  readonly id;
  /** In font sizes. Leaves room for two marks above a capital, as in Ễ. */
  readonly lineHeight = 1.3;
  readonly #name: string;
  readonly #file: TrueType;
  readonly #used = new Map<number, string>();

  constructor(id: "F1" | "F2", name: string, file: TrueType) {
    this.id = id;
    this.#name = `AAAAAA+${name}`; // the prefix marks a subset of the font
    this.#file = file;
  }

  has(letter: string): boolean {
    return (
      single.test(letter) && letter.length === 1 && this.#file.glyphOf(letter.charCodeAt(0)) > 0
    );
  }

  /** The width of a text, in thousandths of the font size. The font must have its letters. */
  widthOf(text: string): number {
    let width = 0;
    for (let at = 0; at < text.length; at += 1)
      width += this.#file.widthOf(this.#file.glyphOf(text.charCodeAt(at)));
    return width;
  }

  /** The text as glyph numbers in hex, for a page's drawing. */
  hexOf(text: string): string {
    let hex = "";
    for (const letter of text) {
      const glyph = this.#file.glyphOf(letter.charCodeAt(0));
      this.#used.set(glyph, letter);
      hex += hexOfCode(glyph);
    }
    return hex;
  }

  /**
   * The font's object in the file, once everything is drawn (ISO 32000-1, 9.7.4). A table maps glyphs to letters
   * for searching and copying.
   */
  object(add: AddObject): string {
    const glyphs = [...this.#used.keys()].toSorted((a, b) => a - b);
    const subset = this.#file.subset(glyphs);
    const file = add(`/Filter /FlateDecode /Length1 ${subset.length}`, deflateSync(subset));
    const descriptor = add(
      `/Type /FontDescriptor /FontName /${this.#name} /Flags 4 /FontBBox [${this.#file.box.join(" ")}] /ItalicAngle 0 /Ascent 1069 /Descent -293 /CapHeight 714 /StemV 80 /FontFile2 ${file} 0 R`,
    );
    const widths = glyphs.map((glyph) => `${glyph} [${this.#file.widthOf(glyph)}]`).join(" ");
    const font = add(
      `/Type /Font /Subtype /CIDFontType2 /BaseFont /${this.#name} /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> /FontDescriptor ${descriptor} 0 R /CIDToGIDMap /Identity /W [${widths}]`,
    );
    const letters = add("/Filter /FlateDecode", deflateSync(this.#lettersOf(glyphs)));
    return `/Type /Font /Subtype /Type0 /BaseFont /${this.#name} /Encoding /Identity-H /DescendantFonts [${font} 0 R] /ToUnicode ${letters} 0 R`;
  }

  #lettersOf(glyphs: number[]): string {
    const pairs = glyphs.map(
      (glyph) => `<${hexOfCode(glyph)}> <${hexOfCode(this.#used.get(glyph)?.charCodeAt(0) ?? 0)}>`,
    );
    // The format allows at most 100 pairs in a block.
    const blocks = Array.from({ length: Math.ceil(pairs.length / 100) }, (_, at) => {
      const block = pairs.slice(100 * at, 100 * at + 100);
      return `${block.length} beginbfchar\n${block.join("\n")}\nendbfchar`;
    });
    return [
      "/CIDInit /ProcSet findresource begin 12 dict begin begincmap",
      "/CMapType 2 def /CMapName /Letters def",
      "1 begincodespacerange <0000> <ffff> endcodespacerange",
      ...blocks,
      "endcmap CMapName currentdict /CMap defineresource pop end end",
    ].join("\n");
  }
}

const hexOfCode = (code: number) => code.toString(16).padStart(4, "0");
