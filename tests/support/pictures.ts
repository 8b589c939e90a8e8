import { crc32, deflateSync, inflateSync } from "node:zlib";

/* Pictures made by hand, and the text of a PDF. */

interface WantedPng {
  width?: number;
  height?: number;
  /** With an alpha channel; otherwise plain colors. */
  transparency?: boolean;
  interlaced?: boolean;
  /** Chunks between the header and the pixels. */
  more?: Buffer[];
  /** Replaces the pixels. */
  pixels?: Buffer;
}

export function aPng(wanted: WantedPng = {}): Buffer {
  const { width = 60, height = 20, transparency = true, interlaced = false, more = [] } = wanted;
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, transparency ? 6 : 2, 0, 0, interlaced ? 1 : 0], 8);
  const row = Buffer.alloc(1 + width * (transparency ? 4 : 3), 0x70);
  row[0] = 0;
  const pixels = wanted.pixels ?? Buffer.concat(Array.from({ length: height }, () => row));
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    aChunk("IHDR", header),
    ...more,
    aChunk("IDAT", deflateSync(pixels)),
    aChunk("IEND", Buffer.alloc(0)),
  ]);
}

export function aChunk(type: string, data: Buffer): Buffer {
  const chunk = Buffer.alloc(12 + data.length);
  chunk.writeUInt32BE(data.length, 0);
  chunk.write(type, 4, "latin1");
  data.copy(chunk, 8);
  chunk.writeUInt32BE(crc32(chunk.subarray(4, 8 + data.length)), 8 + data.length);
  return chunk;
}

/** The head of a JPEG, with a comment, without real pixels. */
export function aJpeg({ width = 40, height = 30, comment = "taken at home" } = {}): Buffer {
  const frame = Buffer.from([8, height >> 8, height & 255, width >> 8, width & 255, 1, 1, 0x11, 0]);
  return Buffer.concat([
    Buffer.from([0xff, 0xd8]),
    segment(0xe1, Buffer.from(comment)),
    segment(0xc0, frame),
    segment(0xda, Buffer.from([1, 1, 0, 0, 63, 0])),
    Buffer.from([0, 0xff, 0xd9]),
  ]);
}

function segment(marker: number, data: Buffer): Buffer {
  const length = data.length + 2;
  return Buffer.concat([Buffer.from([0xff, marker, length >> 8, length & 255]), data]);
}

/** The text of each page of a PDF as statements are written, one piece a line. */
export function pdfPages(file: Buffer): string[] {
  const text = file.toString("latin1");
  const objects = new Map(
    [...text.matchAll(/(?:^|\n)(\d+) 0 obj\n([\s\S]*?)\nendobj/g)].map(([, id = "", body = ""]) => [
      id,
      body,
    ]),
  );
  const tree = [...objects.values()].find((body) => /\/Type \/Pages\b/.test(body)) ?? "";
  const [, kids = ""] = /\/Kids \[([^\]]*)\]/.exec(tree) ?? [];
  return [...kids.matchAll(/(\d+) 0 R/g)].map(([, id = ""]) => {
    const [, contents = ""] = /\/Contents (\d+) 0 R/.exec(objects.get(id) ?? "") ?? [];
    return drawnText(objects.get(contents) ?? "", {
      F1: lettersOf("3", objects),
      F2: lettersOf("4", objects),
    });
  });
}

const unpacked = (object: string) => {
  const [, packed = ""] = /\nstream\n([\s\S]*)\nendstream/.exec(object) ?? [];
  return inflateSync(Buffer.from(packed, "latin1")).toString("latin1");
};

/** A font's letters by their glyph codes in drawings; null for a standard font. */
function lettersOf(id: string, objects: Map<string, string>): Map<string, string> | null {
  const [, table = null] = /\/ToUnicode (\d+) 0 R/.exec(objects.get(id) ?? "") ?? [];
  if (table === null) return null;
  const pairs = unpacked(objects.get(table) ?? "").matchAll(/^<(\w{4})> <(\w{4})>$/gm);
  return new Map(
    [...pairs].map(([, code = "", letter = ""]) => [
      code,
      String.fromCharCode(Number.parseInt(letter, 16)),
    ]),
  );
}

function drawnText(object: string, fonts: Record<"F1" | "F2", Map<string, string> | null>): string {
  const western = new TextDecoder("windows-1252");
  return [...unpacked(object).matchAll(/\/(F1|F2) [^[]*\[<([0-9a-f]*)>\] TJ/g)]
    .map(([, font, hex = ""]) => {
      const letters = fonts[font === "F1" ? "F1" : "F2"];
      if (!letters) return western.decode(Buffer.from(hex, "hex"));
      return hex.replaceAll(/..../g, (code) => letters.get(code) ?? "\u0000");
    })
    .join("\n");
}
