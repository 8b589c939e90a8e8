import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";

/** Safe to write into logs and headers, and long enough to be unique. */
const safeId = /^[\w.-]{8,64}$/;

/** The id of a request in the log and in its answer's `X-Request-Id`: the proxy's, or a new one. */
export function requestIdOf(request: Pick<IncomingMessage, "headers">): string {
  const given = request.headers["x-request-id"];
  return typeof given === "string" && safeId.test(given) ? given : randomUUID();
}
