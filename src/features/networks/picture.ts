import { crc32, inflateSync } from "node:zlib";
import { Refusal } from "#contract/refusal.ts";

/** A picture whose header has been read, without whatever does not belong to what is seen. */
export interface Picture {
  mediaType: "image/png" | "image/jpeg";
  bytes: Buffer;
  width: number;
  height: number;
}

const maxBytes = 200 * 1024;
const maxSide = 1000;

/**
 * Read an uploaded logo: a PNG or a JPEG by its own bytes, whatever it is called, of at most 200 kB and 1,000
 * pixels a side. Comments, positions and other data are left out, and what a PDF could not show is refused: nothing
 * that is stored can fail later. Throws 422 with what to do.
 */
export function readPicture(bytes: Buffer): Picture {
  if (bytes.length > maxBytes)
    throw refused("The logo has more than 200 kB. Save it smaller, and choose it again.");
  const picture = bytes.subarray(0, 8).equals(pngSignature)
    ? readPng(bytes)
    : bytes[0] === 0xff && bytes[1] === 0xd8
      ? readJpeg(bytes)
      : null;
  if (!picture) throw refused("The logo must be a PNG or a JPEG picture.");
  const { width, height } = picture;
  if (width < 1 || height < 1 || width > maxSide || height > maxSide)
    throw refused(
      `The logo is ${width} × ${height} pixels: it may have at most 1,000 × 1,000. Save it smaller, and choose it again.`,
    );
  return picture;
}

const refused = (message: string) => new Refusal(422, message);
const damaged = () => refused("The picture cannot be read: save it again, as a PNG or a JPEG.");

const pngSignature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

interface Chunk {
  type: string;
  /** With its length and its checksum. */
  whole: Buffer;
  data: Buffer;
}

function* chunksOf(bytes: Buffer): Generator<Chunk> {
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

const samplesByColorType = new Map([
  [0, 1],
  [2, 3],
  [3, 1],
  [4, 2],
  [6, 4],
]);

function readPng(bytes: Buffer): Picture {
  const chunks = [...chunksOf(bytes)];
  const header = chunks[0];
  if (header?.type !== "IHDR" || header.data.length !== 13) throw damaged();
  // The PDF's library goes by the last one, and would make a picture as large as that says.
  if (chunks.filter(({ type }) => type === "IHDR").length > 1) throw damaged();
  const [width, height] = [header.data.readUInt32BE(0), header.data.readUInt32BE(4)];
  const [bits = 0, colorType = 0, , , interlace = 0] = header.data.subarray(8);
  const samples = samplesByColorType.get(colorType);
  if (samples === undefined) throw damaged();
  if (interlace !== 0) throw refused("Save the PNG without interlacing, and choose it again.");
  const isPlain = bits === 8 || (samples === 1 && [1, 2, 4].includes(bits));
  if (!isPlain) throw refused("Save the PNG with 8 bits a color, and choose it again.");
  const palette = chunks.filter(({ type }) => type === "PLTE");
  const isIndexed = colorType === 3;
  if (isIndexed && (palette.length !== 1 || !isPalette(palette[0]?.data))) throw damaged();
  const tooLarge = width > maxSide || height > maxSide;
  if (!tooLarge) checkPixels(chunks, height, Math.ceil((width * samples * bits) / 8));
  // Of transparency, only what the PDF's library reads rightly: the rest is shown on its own ground.
  const kept = new Set(["IHDR", "IDAT", "IEND", ...(isIndexed ? ["PLTE"] : [])]);
  if (isIndexed && bits === 8) kept.add("tRNS");
  const parts = chunks.filter(({ type }) => kept.has(type)).map(({ whole }) => whole);
  return {
    mediaType: "image/png",
    bytes: Buffer.concat([pngSignature, ...parts]),
    width,
    height,
  };
}

const isPalette = (data: Buffer | undefined) =>
  data !== undefined && data.length > 0 && data.length <= 768 && data.length % 3 === 0;

/** The pixels are as many as the header says, no more, and each row begins with a filter that there is. */
function checkPixels(chunks: Chunk[], height: number, rowBytes: number): void {
  const expected = height * (rowBytes + 1);
  const packed = Buffer.concat(
    chunks.filter(({ type }) => type === "IDAT").map(({ data }) => data),
  );
  const pixels = inflated(packed, expected);
  if (pixels?.length !== expected) throw damaged();
  for (let at = 0; at < expected; at += rowBytes + 1) if ((pixels[at] ?? 0) > 4) throw damaged();
}

function inflated(packed: Buffer, maxOutputLength: number): Buffer | null {
  try {
    return inflateSync(packed, { maxOutputLength: Math.max(1, maxOutputLength) });
  } catch {
    return null; // no such data, or more of it than the header says
  }
}

/** Frames with Huffman coding, sequential or progressive: what browsers and PDF readers show. */
const frames = new Set([0xc0, 0xc1, 0xc2]);
/** Tables, the frame, restarts, and Adobe's note on its colors. */
const keptSegments = new Set([...frames, 0xc4, 0xdb, 0xdd, 0xee]);

function readJpeg(bytes: Buffer): Picture {
  const kept = [bytes.subarray(0, 2)];
  let size: { width: number; height: number } | null = null;
  let at = 2;
  while (at + 4 <= bytes.length && bytes[at] === 0xff) {
    const marker = bytes[at + 1] ?? 0;
    if (marker === 0xff) {
      at += 1; // filled up
      continue;
    }
    if (marker === 0xda) {
      if (!size) throw damaged();
      kept.push(bytes.subarray(at));
      return { mediaType: "image/jpeg", bytes: Buffer.concat(kept), ...size };
    }
    const end = at + 2 + bytes.readUInt16BE(at + 2);
    if (end < at + 4 || end > bytes.length) throw damaged();
    if (frames.has(marker)) size = frameSize(bytes.subarray(at + 4, end));
    if (keptSegments.has(marker)) kept.push(bytes.subarray(at, end));
    at = end;
  }
  throw damaged();
}

function frameSize(frame: Buffer): { width: number; height: number } {
  if (frame.length < 6 || frame[0] !== 8 || ![1, 3, 4].includes(frame[5] ?? 0)) throw damaged();
  return { height: frame.readUInt16BE(1), width: frame.readUInt16BE(3) };
}
