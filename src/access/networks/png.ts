import { crc32, inflate } from "node:zlib";
import { promisify } from "node:util";
import { Refusal } from "#kit/contract/refusal.ts";

export const pngSignature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

export const damaged = () =>
  new Refusal(422, "The picture cannot be read. Save it again as a PNG or JPEG.");

export interface Chunk {
  type: string;
  /** Includes length and checksum. */
  whole: Buffer;
  data: Buffer;
}

/** The chunks of a PNG up to its end. Throws 422 if it is damaged. */
export function* chunksOf(bytes: Buffer): Generator<Chunk> {
  let at = 8;
  while (at + 12 <= bytes.length) {
    const end = at + 12 + bytes.readUInt32BE(at);
    if (end > bytes.length) throw damaged();
    const whole = bytes.subarray(at, end);
    if (crc32(whole.subarray(4, -4)) !== whole.readUInt32BE(whole.length - 4)) throw damaged();
    const type = whole.toString("latin1", 4, 8);
    yield { type, whole, data: whole.subarray(8, -4) };
    if (type === "IEND") return;
    at = end;
  }
  throw damaged();
}

export interface PngHeader {
  width: number;
  height: number;
  /** Bits per sample. */
  bits: number;
  colorType: number;
  isInterlaced: boolean;
}

export function headerOf(data: Buffer): PngHeader {
  const [bits = 0, colorType = 0, , , interlace = 0] = data.subarray(8);
  const [width, height] = [data.readUInt32BE(0), data.readUInt32BE(4)];
  return { width, height, bits, colorType, isInterlaced: interlace !== 0 };
}

/** Samples per pixel and allowed bits per sample (RFC 2083, 4.1.1). */
const colorTypes = new Map([
  [0, { samples: 1, depths: [1, 2, 4, 8, 16] }],
  [2, { samples: 3, depths: [8, 16] }],
  [3, { samples: 1, depths: [1, 2, 4, 8] }],
  [4, { samples: 2, depths: [8, 16] }],
  [6, { samples: 4, depths: [8, 16] }],
]);

/** Samples per pixel; undefined for an invalid kind of PNG, which no browser shows. */
export function samplesOf({ colorType, bits }: PngHeader): number | undefined {
  const kind = colorTypes.get(colorType);
  return kind?.depths.includes(bits) ? kind.samples : undefined;
}

/** The pixel rows of a PNG, each after its filter byte, unpacked outside the event loop; null if not `length` bytes. */
export async function unpackedRows(chunks: Chunk[], length: number): Promise<Buffer | null> {
  const packed = Buffer.concat(
    chunks.filter(({ type }) => type === "IDAT").map(({ data }) => data),
  );
  try {
    const rows = await promisify(inflate)(packed, { maxOutputLength: Math.max(1, length) });
    return rows.length === length ? rows : null;
  } catch {
    return null; // invalid data, or more than the header says
  }
}
