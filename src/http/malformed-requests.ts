import { randomUUID } from "node:crypto";
import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import { failure } from "#http/envelope.ts";
import { requestTimedOutMessage } from "#http/errors.ts";
import { endSocketWith } from "#http/end-socket.ts";
import { securityHeaders } from "#http/security-headers.ts";

const refusals: Record<string, [number, string]> = {
  HPE_HEADER_OVERFLOW: [431, "The request's headers are too large: at most 16 kB are accepted."],
  ERR_HTTP_REQUEST_TIMEOUT: [408, requestTimedOutMessage],
};

/**
 * Answer malformed HTTP in the envelope, like everything else. Node passes the socket alone: there is
 * no request yet, so the response is written as text.
 */
export function answerMalformedRequest(isSecure: boolean) {
  return (problem: Error & { code?: string }, socket: Socket): void => {
    if (problem.code === "ECONNRESET" || !socket.writable) return;
    const [status, message] = refusals[problem.code ?? ""] ?? [
      400,
      "The request is not valid HTTP.",
    ];
    const body = failure(message);
    const headers = {
      ...securityHeaders(randomUUID(), isSecure),
      "Content-Type": "application/json; charset=utf-8",
      "Content-Length": Buffer.byteLength(body),
      Connection: "close",
    };
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    endSocketWith(
      socket,
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join("")}\r\n${body}`,
    );
  };
}
