import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from "fastify";
import type pg from "pg";
import type { Registry } from "prom-client";
import { failure } from "#server/envelope.ts";
import { answerError } from "#server/errors.ts";
import { serveHealth } from "#server/health.ts";
import { letLeave } from "#server/leaving.ts";
import type { Log } from "#server/log.ts";
import { serveMetrics } from "#server/metrics.ts";
import type { Readiness } from "#server/readiness.ts";
import { requestIdOf } from "#server/request-id.ts";
import { addSecurityHeaders } from "#server/security-headers.ts";

/** What a process without web answers, not yet listening: `/healthz`, `/readyz`, `/metrics`. */
export function createWorkerHealth(settings: {
  pool: pg.Pool;
  registry: Registry;
  metricsToken: string | null;
  log: Log;
  needs?: Readiness[];
}): FastifyInstance {
  const log: FastifyBaseLogger = settings.log;
  const app = Fastify({
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: requestIdOf,
    requestTimeout: 30_000,
    forceCloseConnections: true,
  });
  app.setErrorHandler(answerError);
  addSecurityHeaders(app, false);
  letLeave(app);
  serveHealth(app, settings.pool, () => true, settings.needs);
  serveMetrics(app, settings);
  app.setNotFoundHandler(async (_request, reply) =>
    reply
      .status(404)
      .type("application/json; charset=utf-8")
      .send(failure("There is no such address.")),
  );
  return app;
}
