import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { forward, forwardUpgrade } from "#tests/support/forward.ts";

/**
 * Changes a page's document on its way to the browser, which opens it at an address such as
 * `http://localhost:1234`.
 */
export type Change = (html: string, address: string) => string;

/**
 * A test's server in front of an app, which changes the app's pages and passes everything else on, sockets
 * too. A page that the browser answers itself has no origin here: its sockets to this machine are refused,
 * like those of any page from elsewhere.
 */
export async function aServerThatChanges(
  app: string,
  change: Change,
): Promise<{ address: string; close(): void }> {
  const { host, port } = new URL(app);
  const sockets = new Set<Socket>();
  const server = createServer((from, to) =>
    forward(from, to, { ...onward(from), change: (html) => change(html, address) }),
  ).on("upgrade", (from, near: Socket, head) => {
    for (const socket of forwardUpgrade(from, near, head, onward(from))) sockets.add(socket);
  });

  /** The app's own address, so that it accepts the requests; and its pages as plain text. */
  function onward(from: IncomingMessage) {
    const { "accept-encoding": _, ...headers } = from.headers;
    const origin = headers.origin && { origin: app };
    return { port: Number(port), headers: { ...headers, host, ...origin } };
  }

  await new Promise<void>((resume) => server.listen(0, "127.0.0.1", resume));
  const address = `http://localhost:${(server.address() as AddressInfo).port}`; // it listens on TCP
  return {
    address,
    close: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      server.closeAllConnections();
    },
  };
}
