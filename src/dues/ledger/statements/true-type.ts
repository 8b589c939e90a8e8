/**
 * A TrueType font with 1,000 units per em (ISO/IEC 14496-22). It supports the tables of the font in our packages:
 * four-byte glyph offsets, a width for each glyph, and no hinting.
 */
export class TrueType {
  readonly #tables: ReadonlyMap<string, Buffer>;
  /** Glyphs by UTF-16 code unit, 0 if the font has none. Letters beyond UTF-16's first plane have none. */
  readonly #glyphs = new Uint16Array(0x1_0000);

  constructor(file: Buffer) {
    const records = Array.from({ length: file.readUInt16BE(4) }, (_, at) => 12 + 16 * at);
    this.#tables = new Map(
      records.map((at) => {
        const start = file.readUInt32BE(at + 8);
        const table = file.subarray(start, start + file.readUInt32BE(at + 12));
        return [file.toString("latin1", at, at + 4), table];
      }),
    );
    this.#readGlyphs();
  }

  glyphOf(code: number): number {
    return this.#glyphs[code] ?? 0;
  }

  /** The width in thousandths of the font's size. */
  widthOf(glyph: number): number {
    return this.#table("hmtx").readUInt16BE(4 * glyph);
  }

  /** The bounding box of all glyphs: left, bottom, right, top. */
  get box(): number[] {
    return [36, 38, 40, 42].map((at) => this.#table("head").readInt16BE(at));
  }

  /** The font with only the wanted glyphs, under their own numbers; the rest are empty. */
  subset(wanted: Iterable<number>): Buffer {
    const kept = this.#withParts(wanted);
    const shapes: Buffer[] = [];
    const places = Buffer.alloc(this.#table("loca").length);
    const widths = Buffer.alloc(this.#table("hmtx").length);
    let length = 0;
    for (let glyph = 0; 4 * glyph < widths.length; glyph += 1) {
      places.writeUInt32BE(length, 4 * glyph);
      if (!kept.has(glyph)) continue;
      const shape = this.#shapeOf(glyph);
      shapes.push(shape);
      length += shape.length;
      this.#table("hmtx").copy(widths, 4 * glyph, 4 * glyph, 4 * glyph + 4);
    }
    places.writeUInt32BE(length, places.length - 4);
    return fontFile([
      ["glyf", Buffer.concat(shapes)],
      ["head", this.#table("head")],
      ["hhea", this.#table("hhea")],
      ["hmtx", widths],
      ["loca", places],
      ["maxp", this.#table("maxp")],
    ]);
  }

  #table(name: string): Buffer {
    const table = this.#tables.get(name);
    if (!table) throw new Error(`The font has no table "${name}".`);
    return table;
  }

  /** Read the cmap's ranges (format 4). Each shifts its codes to glyphs or lists its glyphs. */
  #readGlyphs(): void {
    const table = this.#table("cmap");
    const places = Array.from({ length: table.readUInt16BE(2) }, (_, at) =>
      table.readUInt32BE(8 + 8 * at),
    );
    const start = places.find((place) => table.readUInt16BE(place) === 4);
    if (start === undefined) throw new Error("The font has no character map of format 4.");
    const ranges = table.subarray(start);
    const size = ranges.readUInt16BE(6);
    for (let at = 14; at < 14 + size; at += 2) {
      const first = ranges.readUInt16BE(at + size + 2);
      const shift = ranges.readUInt16BE(at + 2 * size + 2);
      const listAt = at + 3 * size + 2;
      const list = ranges.readUInt16BE(listAt);
      for (let code = first; code <= Math.min(ranges.readUInt16BE(at), 0xfffe); code += 1) {
        const listed = list === 0 ? code : ranges.readUInt16BE(listAt + list + 2 * (code - first));
        this.#glyphs[code] = list !== 0 && listed === 0 ? 0 : (listed + shift) % 0x1_0000;
      }
    }
  }

  #shapeOf(glyph: number): Buffer {
    const places = this.#table("loca");
    const end = places.readUInt32BE(4 * glyph + 4);
    return this.#table("glyf").subarray(places.readUInt32BE(4 * glyph), end);
  }

  /** Glyphs and their parts, such as a letter and its accent. Every font needs glyph 0. */
  #withParts(wanted: Iterable<number>): Set<number> {
    const kept = new Set([0, ...wanted]);
    for (const glyph of kept) for (const part of partsOf(this.#shapeOf(glyph))) kept.add(part);
    return kept;
  }
}

function* partsOf(shape: Buffer): Generator<number> {
  const isComposite = shape.length > 0 && shape.readInt16BE(0) < 0;
  for (let at = 10, isMore = isComposite; isMore;) {
    const flags = shape.readUInt16BE(at);
    yield shape.readUInt16BE(at + 2);
    // Skip the offsets, in words or bytes, and a scale of zero, one, two or four numbers.
    at += (flags & 0x01 ? 8 : 6) + (flags & 0x08 ? 2 : flags & 0x40 ? 4 : flags & 0x80 ? 8 : 0);
    isMore = (flags & 0x20) !== 0;
  }
}

/** A font file with these tables, which must be sorted by name. */
function fontFile(tables: [string, Buffer][]): Buffer {
  const count = tables.length;
  const head = Buffer.alloc(12 + 16 * count);
  const largest = 2 ** Math.floor(Math.log2(count)); // where a binary search starts
  head.writeUInt32BE(0x0001_0000, 0);
  for (const [at, value] of [
    count,
    16 * largest,
    Math.log2(largest),
    16 * (count - largest),
  ].entries())
    head.writeUInt16BE(value, 4 + 2 * at);
  const parts = [head];
  let start = head.length;
  for (const [at, [name, table]] of tables.entries()) {
    const padded = Buffer.concat([table, Buffer.alloc((4 - (table.length % 4)) % 4)]);
    const record = 12 + 16 * at;
    head.write(name, record, "latin1");
    head.writeUInt32BE(sumOf(padded), record + 4);
    head.writeUInt32BE(start, record + 8);
    head.writeUInt32BE(table.length, record + 12);
    parts.push(padded);
    start += padded.length;
  }
  return Buffer.concat(parts);
}

function sumOf(table: Buffer): number {
  let sum = 0;
  for (let at = 0; at < table.length; at += 4) sum = (sum + table.readUInt32BE(at)) % 2 ** 32;
  return sum;
}
