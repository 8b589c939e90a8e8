import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { Refusal } from "#kit/contract/refusal.ts";

declare module "fastify" {
  interface FastifyContextConfig {
    /** For text from a card processor, which may use an encoding other than UTF-8. */
    takesAnyEncoding?: boolean;
  }
}

/**
 * Refuse a request whose text cannot be read reliably: 400 if its query is not percent-encoded UTF-8 (a bad path is
 * refused before any hook), 415 if its body is compressed or not in UTF-8. Call it before anything reads bodies.
 * Bytes are checked where they are read.
 */
export function refuseUnreadableText(app: FastifyInstance): void {
  app.addHook("preParsing", async (request, reply) => {
    const { takesAnyEncoding } = request.routeOptions.config;
    if (!takesAnyEncoding && !isPercentEncoded(request.raw.url ?? ""))
      throw new Refusal(
        400,
        "The address is not valid. Characters other than ASCII must be percent-encoded UTF-8.",
      );
    if (request.is404 || !hasBody(request)) return;
    refuseCompressed(request, reply);
    if (!takesAnyEncoding) refuseOtherCharset(request);
  });
}

/** Node itself refuses characters other than ASCII. */
function isPercentEncoded(address: string): boolean {
  try {
    return decodeURIComponent(address) !== ""; // a bundler drops a call whose result is unused
  } catch {
    return false;
  }
}

function hasBody({ headers }: FastifyRequest): boolean {
  const length = headers["content-length"];
  return headers["transfer-encoding"] !== undefined || (length !== undefined && length !== "0");
}

function refuseCompressed({ headers }: FastifyRequest, reply: FastifyReply): void {
  const encoding = headers["content-encoding"] ?? "";
  if (["", "identity"].includes(encoding.trim().toLowerCase())) return;
  void reply.header("Accept-Encoding", "identity"); // RFC 9110, 15.5.16
  throw new Refusal(415, "The request must not be compressed. Send it without Content-Encoding.");
}

/** ASCII text is UTF-8, too. */
const utf8Names = ["utf-8", "utf8", "us-ascii", "ascii", ""];
/** The bytes of a file tell which of these it is: see the features that read it. */
const fileCharsets = [...utf8Names, "windows-1252", "iso-8859-1"];

function refuseOtherCharset({ headers, routeOptions }: FastifyRequest): void {
  const [, charset] =
    /;\s*charset\s*=\s*["']?([^\s;"']*)/i.exec(headers["content-type"] ?? "") ?? [];
  const taken = routeOptions.config.fileMediaType ? fileCharsets : utf8Names;
  if (charset === undefined || taken.includes(charset.toLowerCase())) return;
  throw new Refusal(415, "The request must be in UTF-8 (charset=utf-8).");
}

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** The text of a body, without a byte order mark. Throws 400 for bytes that are not UTF-8. */
export function textOf(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new Refusal(400, "The request is not valid UTF-8 text.");
  }
}
