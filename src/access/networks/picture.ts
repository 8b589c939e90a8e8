import { Refusal } from "#kit/contract/refusal.ts";
import {
  type Chunk,
  chunksOf,
  damaged,
  headerOf,
  pngSignature,
  samplesOf,
  unpackedRows,
} from "#access/networks/png.ts";

/** A checked picture, stripped of everything that is not visible. */
export interface Picture {
  mediaType: "image/png" | "image/jpeg";
  bytes: Buffer;
  width: number;
  height: number;
}

const maxBytes = 200 * 1024;
const maxSide = 1000;

/**
 * Read an uploaded logo: by its bytes a PNG or JPEG, up to 200 kB and 1,000 pixels per side. Comments, positions and
 * other data are dropped. A picture that a PDF could not show is refused, so that no stored logo fails later. Pixels
 * are unpacked outside the event loop. Throws 422 with what to do.
 */
export async function readPicture(bytes: Buffer): Promise<Picture> {
  if (bytes.length > maxBytes)
    throw refused("The logo is larger than 200 kB. Save a smaller one and choose it again.");
  const picture = bytes.subarray(0, 8).equals(pngSignature)
    ? await readPng(bytes)
    : bytes[0] === 0xff && bytes[1] === 0xd8
      ? readJpeg(bytes)
      : null;
  if (!picture) throw refused("The logo must be a PNG or JPEG picture.");
  const { width, height } = picture;
  if (width < 1 || height < 1 || width > maxSide || height > maxSide)
    throw refused(
      `The logo is ${width} × ${height} pixels. The limit is 1,000 × 1,000. Save a smaller one and choose it again.`,
    );
  return picture;
}

const refused = (message: string) => new Refusal(422, message);

async function readPng(bytes: Buffer): Promise<Picture> {
  const chunks = [...chunksOf(bytes)];
  const [first] = chunks;
  if (first?.type !== "IHDR" || first.data.length !== 13) throw damaged();
  // The library uses the last header and would allocate a picture of its size.
  if (chunks.filter(({ type }) => type === "IHDR").length > 1) throw damaged();
  const header = headerOf(first.data);
  const { width, height, bits } = header;
  const samples = samplesOf(header);
  if (samples === undefined) throw damaged();
  if (header.isInterlaced) throw refused("Save the PNG without interlacing and choose it again.");
  const palette = chunks.filter(({ type }) => type === "PLTE");
  const isIndexed = header.colorType === 3;
  if (isIndexed && (palette.length !== 1 || !isPalette(palette[0]?.data))) throw damaged();
  const tooLarge = width > maxSide || height > maxSide;
  if (!tooLarge) await checkPixels(chunks, height, Math.ceil((width * samples * bits) / 8));
  const kept = new Set(["IHDR", "IDAT", "IEND", "tRNS", ...(isIndexed ? ["PLTE"] : [])]);
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

/** Checks that the pixels match the header and that each row begins with a valid filter. */
async function checkPixels(chunks: Chunk[], height: number, rowBytes: number): Promise<void> {
  const rows = await unpackedRows(chunks, height * (rowBytes + 1));
  if (!rows) throw damaged();
  for (let at = 0; at < rows.length; at += rowBytes + 1) if ((rows[at] ?? 0) > 4) throw damaged();
}

/** Frames that browsers and PDF readers show: Huffman coding, sequential or progressive. */
const frames = new Set([0xc0, 0xc1, 0xc2]);
/** Tables, the frame, restarts and Adobe's color marker. */
const keptSegments = new Set([...frames, 0xc4, 0xdb, 0xdd, 0xee]);

function readJpeg(bytes: Buffer): Picture {
  const kept = [bytes.subarray(0, 2)];
  let frame: Frame | null = null;
  let at = 2;
  while (at + 4 <= bytes.length && bytes[at] === 0xff) {
    const marker = bytes[at + 1] ?? 0;
    if (marker === 0xff) {
      at += 1; // fill byte
      continue;
    }
    if (marker === 0xda) {
      if (!frame) throw damaged();
      kept.push(bytes.subarray(at));
      const { width, height } = frame;
      return { mediaType: "image/jpeg", bytes: Buffer.concat(kept), width, height };
    }
    const end = at + 2 + bytes.readUInt16BE(at + 2);
    if (end < at + 4 || end > bytes.length) throw damaged();
    if (frames.has(marker)) frame = readFrame(bytes.subarray(at + 4, end));
    if (keptSegments.has(marker)) kept.push(bytes.subarray(at, end));
    at = end;
  }
  throw damaged();
}

interface Frame {
  width: number;
  height: number;
  /** Samples per pixel: 1 gray, 3 RGB, 4 CMYK. */
  colors: number;
}

function readFrame(frame: Buffer): Frame {
  const [bits, , , , , colors = 0] = frame;
  if (frame.length < 6 || bits !== 8 || ![1, 3, 4].includes(colors)) throw damaged();
  return { height: frame.readUInt16BE(1), width: frame.readUInt16BE(3), colors };
}

/** The frame of a JPEG that `readPicture` has accepted. */
export function frameOf(bytes: Buffer): Frame {
  for (let at = 2; at + 4 <= bytes.length; at += 2 + bytes.readUInt16BE(at + 2))
    if (frames.has(bytes[at + 1] ?? 0)) return readFrame(bytes.subarray(at + 4));
  throw damaged();
}
