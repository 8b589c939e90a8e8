import { Readable } from "node:stream";
import type { FastifyReply, FastifyRequest } from "fastify";
import { Refusal } from "#kit/contract/refusal.ts";
import { hasVersion } from "#kit/http/if-none-match.ts";

export interface FileToSend {
  /** The name to save it under: plain ASCII without quotation marks. */
  name: string;
  mediaType: string;
  /** Changes whenever the bytes do. */
  version: string;
  /** The size in bytes. */
  bytes: number;
  /** When the file was made. */
  madeAt: string;
  /** The bytes from `start` to `end`, both included. Throws if they no longer exist. */
  read: (range: { start: number; end: number }) => AsyncIterable<Buffer>;
}

/**
 * Stream a file: all of it, or the one range requested (RFC 9110), so that a download can be resumed. Answers 304
 * if the client has this version. Answers HEAD with the headers of the whole file, without reading it. Throws 416
 * for a range outside the file. If reading fails midway, the connection is cut, so that a part is not mistaken for
 * the whole.
 */
export function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  { name, mediaType, version, bytes: size, madeAt, read }: FileToSend,
): FastifyReply {
  const tag = `"${version}"`;
  const condition = request.headers["if-range"];
  const isHead = request.method === "HEAD";
  const isWanted = !isHead && (condition === undefined || condition === tag);
  const range = isWanted ? rangeOf(request.headers.range, size) : null;
  void reply.headers({
    "Content-Type": mediaType,
    "Content-Disposition": `attachment; filename="${name}"`,
    "Accept-Ranges": "bytes",
    "Last-Modified": new Date(madeAt).toUTCString(),
    ETag: tag,
  });
  if (hasVersion(request, tag)) return reply.status(304).removeHeader("Content-Type").send();
  if (range === "outside") {
    void reply.header("Content-Range", `bytes */${size}`);
    throw new Refusal(416, "The requested range is outside the file.");
  }
  const { start, end } = range ?? { start: 0, end: size - 1 };
  void reply.header("Content-Length", end - start + 1);
  if (range) void reply.status(206).header("Content-Range", `bytes ${start}-${end}/${size}`);
  // Read at most one piece ahead of the client.
  const pieces = isHead ? [] : read({ start, end });
  return reply.send(Readable.from(pieces, { objectMode: false, highWaterMark: 1 }));
}

/** One range of bytes; null for anything else, which is answered with the whole file. */
function rangeOf(
  header: string | undefined,
  size: number,
): { start: number; end: number } | "outside" | null {
  const [, from = "", to = ""] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header ?? "") ?? [];
  if (from === "" && to === "") return null;
  if (from === "")
    return Number(to) === 0 ? "outside" : { start: Math.max(0, size - Number(to)), end: size - 1 };
  const start = Number(from);
  const end = to === "" ? size - 1 : Math.min(Number(to), size - 1);
  if (to !== "" && Number(to) < start) return null;
  return start >= size ? "outside" : { start, end };
}
