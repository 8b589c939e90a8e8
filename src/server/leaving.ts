import { setTimeout as pause } from "node:timers/promises";
import type { FastifyInstance } from "fastify";

declare module "fastify" {
  interface FastifyInstance {
    /** Whether this process is about to end: it still answers, and wants no more. */
    isLeaving: () => boolean;
    /**
     * Say that this process is about to end and go on answering for a while, so that a balancer sees
     * it and sends nobody here any more; each answer asks for a new connection, which leads elsewhere.
     * `hurry` cuts the while short.
     */
    leave: (drainMs: number, hurry: AbortSignal) => Promise<void>;
  }
}

/** Let a server leave without anybody noticing; `app.close()` comes after. */
export function letLeave(app: FastifyInstance): void {
  let isLeaving = false;
  app.addHook("onSend", async (_request, reply) => {
    if (isLeaving) void reply.header("Connection", "close");
  });
  // What was being sent already has promised to keep its connection, and closing waits for that.
  app.addHook("onResponse", async (request) => {
    if (isLeaving) request.raw.socket.end();
  });
  app.decorate("isLeaving", () => isLeaving);
  app.decorate("leave", async (drainMs, hurry) => {
    isLeaving = true;
    await pause(drainMs, undefined, { signal: hurry }).catch(() => undefined); // cut short
  });
}
