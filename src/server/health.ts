import type { FastifyInstance } from "fastify";
import type pg from "pg";

/** `/healthz`: this process lives. `/readyz`: it can also reach its database. */
export function serveHealth(app: FastifyInstance, pool: pg.Pool): void {
  app.get("/healthz", async (_request, reply) => reply.type("text/plain").send("ok\n"));
  app.get("/readyz", async (_request, reply) => {
    await pool.query("select 1");
    return reply.type("text/plain").send("ready\n");
  });
}
