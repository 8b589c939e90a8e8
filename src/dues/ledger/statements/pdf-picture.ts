import { frameOf } from "#access/networks/picture.ts";
import { chunksOf, headerOf } from "#access/networks/png.ts";

/** A PNG or JPEG to embed in a PDF, of `width` × `height` pixels. */
export interface PdfPicture {
  bytes: Buffer;
  width: number;
  height: number;
  isPng: boolean;
}

/** Reads a PNG or JPEG made by `printedLogo`. */
export function pdfPicture(bytes: Buffer): PdfPicture {
  const isPng = bytes[0] === 0x89;
  const { width, height } = isPng ? headerOf(firstData(bytes)) : frameOf(bytes);
  return { bytes, width, height, isPng };
}

/** The picture as a PDF object: its compressed pixels, and how to read them. */
export function pictureObject(picture: PdfPicture): { dictionary: string; data: Buffer } {
  const { dictionary, data } = picture.isPng ? pngObject(picture.bytes) : jpegObject(picture.bytes);
  const { width, height } = picture;
  const kind = `/Type /XObject /Subtype /Image /Width ${width} /Height ${height}`;
  return { dictionary: `${kind} ${dictionary}`, data };
}

function pngObject(bytes: Buffer): { dictionary: string; data: Buffer } {
  const chunks = [...chunksOf(bytes)];
  const { width, bits, colorType } = headerOf(firstData(bytes));
  const palette = chunks.find(({ type }) => type === "PLTE")?.data ?? Buffer.alloc(0);
  const indexed = `[/Indexed /DeviceRGB ${palette.length / 3 - 1} <${palette.toString("hex")}>]`;
  const colors = colorType === 2 ? 3 : 1;
  const space = colorType === 3 ? indexed : colors === 3 ? "/DeviceRGB" : "/DeviceGray";
  const rows = `/Predictor 15 /Colors ${colors} /BitsPerComponent ${bits} /Columns ${width}`;
  return {
    dictionary: `/ColorSpace ${space} /BitsPerComponent ${bits} /Filter /FlateDecode /DecodeParms << ${rows} >>`,
    data: Buffer.concat(chunks.filter(({ type }) => type === "IDAT").map(({ data }) => data)),
  };
}

function firstData(bytes: Buffer): Buffer {
  const { value } = chunksOf(bytes).next();
  return value?.data ?? Buffer.alloc(13);
}

/** Adobe writes four-color JPEGs inverted. */
function jpegObject(bytes: Buffer): { dictionary: string; data: Buffer } {
  const { colors } = frameOf(bytes);
  const space =
    colors === 1
      ? "/DeviceGray"
      : colors === 3
        ? "/DeviceRGB"
        : "/DeviceCMYK /Decode [1 0 1 0 1 0 1 0]";
  return {
    dictionary: `/ColorSpace ${space} /BitsPerComponent 8 /Filter /DCTDecode`,
    data: bytes,
  };
}
