import type { FastifyInstance } from "fastify";
import type pg from "pg";
import type { Readiness } from "#server/readiness.ts";
import { Refusal } from "#server/refusal.ts";

/**
 * `/healthz`: this process lives. `/readyz`: it also reaches its database, hears of changes, has
 * what else it needs, and is not about to end.
 */
export function serveHealth(
  app: FastifyInstance,
  pool: pg.Pool,
  isListening: () => boolean,
  needs: Readiness[] = [],
): void {
  app.get("/healthz", async (_request, reply) => reply.type("text/plain").send("ok\n"));
  app.get("/readyz", async (request, reply) => {
    if (app.isLeaving()) throw new Refusal(503, "This process is about to end.");
    try {
      await pool.query("select 1");
    } catch (problem) {
      request.log.error({ err: problem }, "the database does not answer"); // whatever the reason: not ready
      throw new Refusal(503, "The database does not answer.", { retryAfterSeconds: 2 });
    }
    if (!isListening())
      throw new Refusal(503, "The real-time line is down.", { retryAfterSeconds: 2 });
    for (const need of needs)
      if (!(await need.isFine())) throw new Refusal(503, need.says, { retryAfterSeconds: 2 });
    return reply.type("text/plain").send("ready\n");
  });
}
