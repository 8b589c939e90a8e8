import type { Picture } from "#access/networks/picture.ts";
import { damaged } from "#access/networks/png.ts";
import { Threads } from "#kit/ops/threads.ts";

const threads = new Threads({
  file: new URL("./printed-logo-thread.ts", import.meta.url),
  heapMegabytes: 32,
  idleMs: 1_000,
});

/**
 * A picture as a PDF can hold it without decoding anything: a JPEG as it is, a PNG on the white of the paper and no
 * larger than it is printed. A thread decodes it. `bytes` are those of a picture that `readPicture` has read. Throws
 * 422 where its pixels cannot be decoded.
 */
export async function printedLogo({
  mediaType,
  bytes,
}: Pick<Picture, "mediaType" | "bytes">): Promise<Buffer> {
  if (mediaType === "image/jpeg") return bytes;
  const printed = await threads.run<Uint8Array | null>([bytes], new AbortController().signal);
  if (!printed) throw damaged();
  return Buffer.from(printed);
}
