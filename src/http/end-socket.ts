import type { Duplex } from "node:stream";

const patienceMs = 2_000;

/**
 * Send the last that a connection is told, and close it, whether or not the other side closes its own:
 * nothing else would ever end one that has left HTTP.
 */
export function endWith(socket: Duplex, text: string): void {
  socket.end(text);
  const patience = setTimeout(() => socket.destroy(), patienceMs);
  socket.once("close", () => clearTimeout(patience));
}
