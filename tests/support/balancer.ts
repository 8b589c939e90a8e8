import { Agent, createServer, type IncomingMessage, request } from "node:http";
import type { Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { forward, forwardUpgrade } from "#tests/support/forward.ts";

/** A plain reverse proxy: round robin among processes that say they are ready; it never retries. */
export interface Balancer {
  port: number;
  /** Resolves once the process at a port gets requests. */
  knows(port: number): Promise<void>;
  /** Resolves once that process gets no more requests and has answered all it got. */
  forgets(port: number): Promise<void>;
  close(): void;
}

const lookEveryMs = 50;

/** `scheme` is the one that browsers are said to have used. */
export async function aBalancer(ports: number[], scheme: "http" | "https"): Promise<Balancer> {
  const agent = new Agent({ keepAlive: true });
  const ready = new Set<number>();
  const sockets = new Set<Socket>();
  const closed = new AbortController();
  const looks = new Map<number, number>();
  const underWay = new Map<number, number>();
  let turn = 0;

  async function watch(port: number): Promise<void> {
    while (!closed.signal.aborted) {
      if (await isReady(port)) ready.add(port);
      else ready.delete(port);
      looks.set(port, (looks.get(port) ?? 0) + 1);
      await pause(lookEveryMs);
    }
  }

  function next(): number | undefined {
    turn += 1;
    return [...ready][turn % ready.size];
  }

  /** What proxies add: the caller's address, appended to the caller's own header. */
  function headersOf(from: IncomingMessage): IncomingMessage["headers"] {
    const before = from.headers["x-forwarded-for"];
    const address = from.socket.remoteAddress ?? "";
    return {
      ...from.headers,
      "x-forwarded-for": before ? `${String(before)}, ${address}` : address,
      "x-forwarded-proto": scheme,
      "x-forwarded-host": from.headers.host,
    };
  }

  const onward = (from: IncomingMessage) => ({ port: next() ?? 0, headers: headersOf(from) });

  const server = createServer((from, to) => forward(from, to, { ...onward(from), agent })).on(
    "upgrade",
    (from, near: Socket, head) => {
      for (const socket of forwardUpgrade(from, near, head, onward(from))) sockets.add(socket);
    },
  );
  await new Promise<void>((resume) => server.listen(0, "127.0.0.1", resume));
  const address = server.address();
  if (typeof address !== "object" || !address) throw new Error("The balancer does not listen.");
  for (const port of ports) void watch(port);
  return {
    port: address.port,
    knows: async (port) => {
      while (!ready.has(port)) await pause(lookEveryMs);
    },
    forgets: async (port) => {
      const lookBegunNow = (looks.get(port) ?? 0) + 2; // the next one may have begun before
      while ((looks.get(port) ?? 0) < lookBegunNow) await pause(lookEveryMs);
      while (ready.has(port) || (underWay.get(port) ?? 0) > 0) await pause(lookEveryMs);
    },
    close: () => {
      closed.abort();
      for (const socket of sockets) socket.destroy();
      agent.destroy();
      server.close();
      server.closeAllConnections();
    },
  };
}

function isReady(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    request({ port, path: "/readyz", agent: false, timeout: 30_000 })
      .on("response", (answer) => {
        answer.resume();
        resolve(answer.statusCode === 200);
      })
      .on("timeout", () => resolve(false))
      .on("error", () => resolve(false))
      .end();
  });
}
