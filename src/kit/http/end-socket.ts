import type { Duplex } from "node:stream";

const timeoutMs = 2_000;

/**
 * Send a last text and close the socket. Destroy it if the other side does not close within two seconds: Node's
 * HTTP timeouts do not apply to a socket that has left HTTP.
 */
export function endSocketWith(socket: Duplex, text: string): void {
  socket.end(text);
  const timeout = setTimeout(() => socket.destroy(), timeoutMs);
  socket.once("close", () => clearTimeout(timeout));
}
