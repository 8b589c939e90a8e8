import { randomUUID } from "node:crypto";
import { type Server, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import { failure } from "#kit/http/envelope.ts";
import { requestTimedOutMessage } from "#kit/http/errors.ts";
import { endSocketWith } from "#kit/http/end-socket.ts";
import { requestIdOf } from "#kit/http/request-id.ts";
import { securityHeaders } from "#kit/http/security-headers.ts";

const refusals: Record<string, [number, string]> = {
  HPE_HEADER_OVERFLOW: [431, "The request's headers are too large. The limit is 16 kB."],
  ERR_HTTP_REQUEST_TIMEOUT: [408, requestTimedOutMessage],
};

/**
 * Answer malformed HTTP in the envelope, like everything else. Node only passes the socket, because there is no
 * request yet, so the response is written as text.
 */
export function answerMalformedRequest(isSecure: boolean) {
  return (problem: Error & { code?: string }, socket: Socket): void => {
    if (problem.code === "ECONNRESET" || !socket.writable) return;
    const [status, message] = refusals[problem.code ?? ""] ?? [
      400,
      "The request is not valid HTTP.",
    ];
    const body = failure(message);
    const headers = headersOf(body, randomUUID(), isSecure);
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    endSocketWith(
      socket,
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join("")}\r\n${body}`,
    );
  };
}

/** Refuse an Expect header other than `100-continue` with 417, in the envelope: Node's own answer is empty. */
export function refuseExpectations(server: Server, isSecure: boolean): void {
  const body = failure(
    "This server does not support the Expect header. Send the request without it.",
  );
  server.on("checkExpectation", (request, response) => {
    response.writeHead(417, headersOf(body, requestIdOf(request), isSecure)).end(body);
  });
}

/** The sender's body is not read, so the connection ends. */
const headersOf = (body: string, requestId: string, isSecure: boolean) => ({
  ...securityHeaders(requestId, isSecure),
  "Content-Type": "application/json; charset=utf-8",
  "Content-Length": Buffer.byteLength(body),
  Connection: "close",
});
