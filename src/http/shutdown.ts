import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { finished } from "node:stream/promises";
import { setImmediate as turnOfTheLoop, setTimeout as pause } from "node:timers/promises";
import type { FastifyInstance } from "fastify";
import { failure } from "#http/envelope.ts";

declare module "fastify" {
  interface FastifyInstance {
    /** Whether this process is about to end: it still answers, and wants no more. */
    isLeaving: () => boolean;
    /**
     * Whether this request must be handed back to the proxy that sent it: this process is about to
     * end, and the proxy said that it would give the request to another.
     */
    mustHandBack: (request: IncomingMessage) => boolean;
    /**
     * Say that this process is about to end, go on answering until proxies have noticed, for
     * `drainMs` at most, and stop listening without losing a connection. Each answer asks for a new
     * connection, which leads elsewhere. `hurry` cuts the while short.
     */
    leave: (drainMs: number, hurry: AbortSignal) => Promise<void>;
  }
}

/** What a request that is handed back is answered: nothing of it has begun. */
export const serverIsStopping = {
  status: 502,
  message: "This process is about to end. Nothing was changed; try again in a few seconds.",
};

/**
 * nginx does not ask `/readyz`, but leaves a process alone that handed a request back, for a second at
 * least (`fail_timeout=1s`): it stops listening within that, once what was on its way has come.
 */
const onItsWayMs = 300;
const lookEveryMs = 20;
/** Connections that wait to be taken are so many at most; more would mean that they never end. */
const maxTurns = 10_000;
/** How long a connection may stay on which nothing was ever asked: browsers open some in advance. */
const unusedMs = 2_000;

/** Let a server leave without anybody noticing; `app.close()` comes after. */
export function closeGracefully(app: FastifyInstance): void {
  let isLeaving = false;
  let handedBackAt = Number.POSITIVE_INFINITY; // not yet
  const open = new Set<Socket>();
  app.server.on("connection", (socket) => {
    open.add(socket);
    socket.once("close", () => open.delete(socket));
  });
  app.decorate("isLeaving", () => isLeaving);
  app.decorate("mustHandBack", ({ headers }) => {
    const must = isLeaving && headers["x-when-stopping"] === String(serverIsStopping.status);
    if (must) handedBackAt = performance.now();
    return must;
  });
  app.addHook("onRequest", async (request, reply) => {
    if (!app.mustHandBack(request.raw)) return undefined;
    // Closing a connection on which something is still unread takes the answer with it.
    await finished(request.raw.resume(), { writable: false }).catch(() => undefined); // it has gone
    handedBackAt = performance.now();
    const { status, message } = serverIsStopping;
    return reply
      .status(status)
      .type("application/json; charset=utf-8")
      .header("Retry-After", 2)
      .send(failure(message));
  });
  app.addHook("onSend", async (_request, reply) => {
    if (isLeaving) void reply.header("Connection", "close");
  });
  // What was being sent already has promised to keep its connection, and closing waits for that.
  app.addHook("onResponse", async (request) => {
    if (isLeaving) request.raw.socket.end();
  });
  app.decorate("leave", async (drainMs, hurry) => {
    isLeaving = true;
    const until = performance.now() + drainMs;
    const isLeftAlone = () => performance.now() - handedBackAt >= onItsWayMs;
    while (!hurry.aborted && !isLeftAlone() && performance.now() < until)
      await pause(lookEveryMs, undefined, { signal: hurry }).catch(() => undefined); // cut short
    await allTaken(app);
    app.server.close(); // idle connections, too: nobody uses them any more
    setTimeout(() => {
      for (const socket of open) if (socket.bytesRead === 0) socket.destroy();
    }, unusedMs).unref();
  });
}

/**
 * Resolves right after a turn of the event loop in which there was no connection to take. The kernel
 * makes connections before anybody takes them, and resets those that still wait when the listening
 * socket is closed; Node takes one a turn.
 */
async function allTaken({ server }: FastifyInstance): Promise<void> {
  let taken = 0;
  const count = () => (taken += 1);
  server.on("connection", count);
  await turnOfTheLoop(); // the one that has begun already
  for (let turn = 0; turn < maxTurns; turn += 1) {
    const before = taken;
    await turnOfTheLoop();
    if (taken === before) break;
  }
  server.off("connection", count);
}
