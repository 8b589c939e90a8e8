import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";

/** What no log and no header can be led astray by, long enough to be one of its kind. */
const usable = /^[\w.-]{8,64}$/;

/**
 * What a request is called in the log and in `X-Request-Id` of its answer: as whoever passed it on
 * already calls it, else by a name of its own.
 */
export function requestIdOf(request: Pick<IncomingMessage, "headers">): string {
  const given = request.headers["x-request-id"];
  return typeof given === "string" && usable.test(given) ? given : randomUUID();
}
