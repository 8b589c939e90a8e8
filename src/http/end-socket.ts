import type { Duplex } from "node:stream";

const timeoutMs = 2_000;

/**
 * Send the last that a connection is told, and close it, whether or not the other side closes its own:
 * nothing else would ever end one that has left HTTP.
 */
export function endSocketWith(socket: Duplex, text: string): void {
  socket.end(text);
  const timeout = setTimeout(() => socket.destroy(), timeoutMs);
  socket.once("close", () => clearTimeout(timeout));
}
