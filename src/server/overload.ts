import type { FastifyInstance, FastifyRequest } from "fastify";
import type pg from "pg";
import { busy } from "#server/errors.ts";

/** Statements that wait for each connection of the pool: about half a second of work. */
const waitingForEach = 50;

/** Requests under way at once, those that wait for a card processor included. */
const greatestUnderWay = 1_000;

/** What operators and balancers watch the process by: answered whatever happens, whoever asks. */
const probes = new Set(["/healthz", "/readyz", "/metrics"]);

/** Whether a request needs neither a connection nor to know who calls: probes, and files of the web app. */
export function isForAnyone(request: FastifyRequest): boolean {
  return probes.has(request.routeOptions.url ?? "") || request.url.startsWith("/assets/");
}

export interface Load {
  underWay: number;
  /** How often a request was refused for too many others. */
  refused: number;
}

declare module "fastify" {
  interface FastifyInstance {
    /** How much this process has to do. */
    load: () => Load;
  }
}

/**
 * Refuse requests while there are too many: 503 with Retry-After, before anything of them has begun,
 * who calls included. A queue without an end would fail everybody a little later. Must be the first
 * hook that can wait.
 */
export function refuseOverload(app: FastifyInstance, pool: pg.Pool): void {
  const greatestWaiting = waitingForEach * (pool.options.max ?? 10);
  let underWay = 0;
  let refused = 0;
  app.addHook("onRequest", async (request, reply) => {
    if (isForAnyone(request)) return;
    if (underWay >= greatestUnderWay || pool.waitingCount >= greatestWaiting) {
      refused += 1;
      throw busy();
    }
    underWay += 1;
    reply.raw.once("close", () => (underWay -= 1));
  });
  app.decorate("load", () => ({ underWay, refused }));
}
