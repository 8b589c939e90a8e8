import type { FastifyBaseLogger, FastifyInstance } from "fastify";
import type pg from "pg";
import { failure } from "#kit/http/envelope.ts";
import type { Readiness } from "#kit/ops/readiness.ts";

/**
 * `/healthz`: the process runs. `/readyz`: it also reaches its database, which accepts writes; it hears changes,
 * has everything that `needs` names, and is not stopping. "Not ready" is an expected answer, logged as information.
 */
export function serveHealth(
  app: FastifyInstance,
  pool: pg.Pool,
  isListening: () => boolean,
  needs: Readiness[] = [],
): void {
  async function whyNotReady(log: FastifyBaseLogger): Promise<string | null> {
    if (app.isStopping()) return "This process is stopping.";
    try {
      // A standby, or a primary that is read-only because its disk is full: it can serve no one.
      const { rows } = await pool.query<{ isReadOnly: boolean }>(
        `select current_setting('transaction_read_only') = 'on' as "isReadOnly"`,
      );
      if (rows[0]?.isReadOnly) return "The database is read-only.";
    } catch (problem) {
      log.error({ err: problem }, "the database does not answer"); // not ready, whatever the reason
      return "The database does not answer.";
    }
    if (!isListening()) return "The realtime connection between processes is down.";
    for (const need of needs) if (!(await need.isReady())) return need.message;
    return null;
  }

  app.get("/healthz", async (_request, reply) =>
    reply.type("text/plain; charset=utf-8").send("ok\n"),
  );
  app.get("/readyz", async (request, reply) => {
    const why = await whyNotReady(request.log);
    if (why === null) return reply.type("text/plain; charset=utf-8").send("ready\n");
    request.log.info({ why }, "not ready");
    return reply
      .status(503)
      .header("Retry-After", 2)
      .type("application/json; charset=utf-8")
      .send(failure(why));
  });
}
