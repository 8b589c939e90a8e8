import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { finished } from "node:stream/promises";
import { setImmediate as nextTurn, setTimeout as pause } from "node:timers/promises";
import type { FastifyInstance } from "fastify";
import { failure } from "#kit/http/envelope.ts";

declare module "fastify" {
  interface FastifyInstance {
    /** Whether this process is stopping: it still answers, but wants no new connections. */
    isStopping: () => boolean;
    /**
     * Whether to return this request to the proxy: this process is stopping, and the proxy has announced
     * (`X-When-Stopping`) that it will send the request to another process.
     */
    mustReturnToProxy: (request: IncomingMessage) => boolean;
    /**
     * Report "not ready", keep answering until proxies have noticed, for at most `drainMs`, then stop listening
     * without losing a connection. Every answer closes its connection, so that the client's next one reaches
     * another process. `skip` ends the wait early.
     */
    drain: (drainMs: number, skip: AbortSignal) => Promise<void>;
  }
}

/** The answer to a request that is returned to the proxy. No work on it has begun. */
export const serverIsStopping = {
  status: 502,
  message: "This process is stopping. Nothing was changed; try again in a few seconds.",
};

/**
 * nginx does not ask `/readyz`, but sends nothing for at least a second (`fail_timeout=1s`) to a process that
 * returned a request. The process stops listening within that second, after the requests that nginx had already
 * sent have arrived.
 */
const proxyNoticeMs = 300;
const pollEveryMs = 20;
/** The kernel's backlog is smaller than this. Prevents an endless loop. */
const maxTurns = 10_000;
/** How long an unused connection may stay open. Browsers open some in advance. */
const unusedMs = 2_000;

/** Add `app.drain`, which stops a server without losing requests. Call `app.close()` afterwards. */
export function addGracefulShutdown(app: FastifyInstance): void {
  let isStopping = false;
  let returnedAt = Number.POSITIVE_INFINITY; // not yet
  const open = new Set<Socket>();
  app.server.on("connection", (socket) => {
    open.add(socket);
    socket.once("close", () => open.delete(socket));
  });
  app.decorate("isStopping", () => isStopping);
  app.decorate("mustReturnToProxy", ({ headers }) => {
    const must = isStopping && headers["x-when-stopping"] === String(serverIsStopping.status);
    if (must) returnedAt = performance.now();
    return must;
  });
  app.addHook("onRequest", async (request, reply) => {
    if (!app.mustReturnToProxy(request.raw)) return undefined;
    // Closing a connection with unread data would reset it, and the answer would be lost.
    await finished(request.raw.resume(), { writable: false }).catch(() => undefined); // the sender disconnected
    returnedAt = performance.now();
    const { status, message } = serverIsStopping;
    return reply
      .status(status)
      .type("application/json; charset=utf-8")
      .header("Retry-After", 2)
      .send(failure(message));
  });
  app.addHook("onSend", async (_request, reply) => {
    if (isStopping) void reply.header("Connection", "close");
  });
  // Answers begun earlier have promised keep-alive, and closing the server would wait for their connections.
  app.addHook("onResponse", async (request) => {
    if (isStopping) request.raw.socket.end();
  });
  app.decorate("drain", async (drainMs, skip) => {
    isStopping = true;
    const deadline = performance.now() + drainMs;
    const hasProxyNoticed = () => performance.now() - returnedAt >= proxyNoticeMs;
    while (!skip.aborted && !hasProxyNoticed() && performance.now() < deadline)
      await pause(pollEveryMs, undefined, { signal: skip }).catch(() => undefined); // skipped
    await acceptPendingConnections(app);
    app.server.close(); // also closes idle connections
    setTimeout(() => {
      for (const socket of open) if (socket.bytesRead === 0) socket.destroy();
    }, unusedMs).unref();
  });
}

/**
 * Resolves after a turn of the event loop in which no connection was accepted. The kernel queues connections before
 * they are accepted, and resets the queued ones when the listening socket closes. Node accepts one per turn.
 */
async function acceptPendingConnections({ server }: FastifyInstance): Promise<void> {
  let taken = 0;
  const count = () => (taken += 1);
  server.on("connection", count);
  await nextTurn(); // the current one
  for (let turn = 0; turn < maxTurns; turn += 1) {
    const before = taken;
    await nextTurn();
    if (taken === before) break;
  }
  server.off("connection", count);
}
