import type { Picture } from "#access/networks/picture.ts";
import { damaged } from "#access/networks/png.ts";
import { Threads } from "#kit/ops/threads.ts";

const threads = new Threads({
  file: new URL("./printed-logo-thread.ts", import.meta.url),
  heapMegabytes: 32,
  idleMs: 1_000,
});

/**
 * A picture that a PDF can hold without decoding: a JPEG unchanged; a PNG on white, no larger than printed, decoded in
 * a thread. `bytes` must have passed `readPicture`. Throws 422 if the pixels cannot be decoded.
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
