import { type Agent, type IncomingMessage, request, type ServerResponse } from "node:http";
import { connect, type Socket } from "node:net";

/* A test's proxy: send requests to a port of this machine, and the answers back. */

interface Onward {
  port: number;
  headers: IncomingMessage["headers"];
}

/**
 * Forward a request and its answer, streaming bodies; `change` gets the text of a page and returns the one to
 * send. An unreachable app is a 502.
 */
export function forward(
  from: IncomingMessage,
  to: ServerResponse,
  { port, agent, change, ...onward }: Onward & { agent?: Agent; change?: (html: string) => string },
): void {
  const { connection: _, ...headers } = onward.headers;
  const fail = ({ message }: Error) =>
    to.headersSent ? to.destroy() : to.writeHead(502).end(`The proxy: ${message}`);
  const there = request({ port, agent, method: from.method, path: from.url, headers });
  there.on("response", (answer) => {
    const { connection: __, "keep-alive": ___, ...rest } = answer.headers;
    answer.on("error", fail);
    if (!change || !rest["content-type"]?.startsWith("text/html")) {
      to.writeHead(answer.statusCode ?? 502, rest);
      answer.pipe(to);
      return;
    }
    let html = "";
    answer.setEncoding("utf8").on("data", (piece: string) => (html += piece));
    answer.on("end", () => {
      delete rest["content-length"];
      to.writeHead(answer.statusCode ?? 502, rest).end(change(html));
    });
  });
  there.on("error", fail);
  from.pipe(there);
}

/** Forward a WebSocket request, and all later data of both sides. Returns both sockets. */
export function forwardUpgrade(
  from: IncomingMessage,
  near: Socket,
  head: Buffer,
  { port, headers }: Onward,
): [Socket, Socket] {
  const far = connect(port, "127.0.0.1");
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${String(value)}\r\n`);
  far.write(`${from.method} ${from.url} HTTP/1.1\r\n${lines.join("")}\r\n`);
  far.write(head);
  for (const [one, other] of [
    [near, far],
    [far, near],
  ] as const) {
    one.on("error", () => other.destroy()).on("close", () => other.destroy());
    one.pipe(other);
  }
  return [near, far];
}
