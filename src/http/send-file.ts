import { type FileHandle, open } from "node:fs/promises";
import { Readable } from "node:stream";
import type { FastifyReply, FastifyRequest } from "fastify";
import { Refusal } from "#contract/refusal.ts";
import { hasVersion } from "#http/if-none-match.ts";

export interface FileToSend {
  path: string;
  /** The name to save it under: plain ASCII without quotation marks. */
  name: string;
  mediaType: string;
  /** Changes whenever the bytes do. */
  version: string;
}

/**
 * Stream a file from disk: all of it, or the one range requested (RFC 9110), so that a download can be
 * resumed. 304 to whoever has this version; to HEAD the headers of the whole, without reading it. Throws 404 when it
 * does not exist, 416 for a range outside of it.
 */
export async function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  file: FileToSend,
): Promise<FastifyReply> {
  const opened = await open(file.path).catch(() => {
    throw new Refusal(404, "This file is not there any more.");
  });
  try {
    return await sendOpenFile(request, reply, file, opened);
  } catch (problem) {
    await opened.close();
    throw problem;
  }
}

async function sendOpenFile(
  request: FastifyRequest,
  reply: FastifyReply,
  { name, mediaType, version }: FileToSend,
  opened: FileHandle,
): Promise<FastifyReply> {
  const { size, mtime } = await opened.stat();
  const tag = `"${version}"`;
  const condition = request.headers["if-range"];
  const isHead = request.method === "HEAD";
  const isWanted = !isHead && (condition === undefined || condition === tag);
  const range = isWanted ? rangeOf(request.headers.range, size) : null;
  void reply.headers({
    "Content-Type": mediaType,
    "Content-Disposition": `attachment; filename="${name}"`,
    "Accept-Ranges": "bytes",
    "Last-Modified": mtime.toUTCString(),
    ETag: tag,
  });
  if (hasVersion(request, tag)) {
    await opened.close();
    return reply.status(304).removeHeader("Content-Type").send();
  }
  if (range === "outside") {
    void reply.header("Content-Range", `bytes */${size}`);
    throw new Refusal(416, "The range asked for lies outside of the file.");
  }
  const { start, end } = range ?? { start: 0, end: size - 1 };
  void reply.header("Content-Length", end - start + 1);
  if (range) void reply.status(206).header("Content-Range", `bytes ${start}-${end}/${size}`);
  if (isHead) {
    await opened.close();
    return reply.send(Readable.from([]));
  }
  return reply.send(opened.createReadStream({ start, end, highWaterMark: 256 * 1024 }));
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
