import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from "fastify";
import type pg from "pg";
import type { Registry } from "prom-client";
import { failure } from "#http/envelope.ts";
import { answerError } from "#http/errors.ts";
import { serveHealth } from "#http/health.ts";
import { addGracefulShutdown } from "#http/shutdown.ts";
import type { Log } from "#ops/log.ts";
import { serveMetrics } from "#http/metrics.ts";
import type { Readiness } from "#ops/readiness.ts";
import { requestIdOf } from "#http/request-id.ts";
import { addSecurityHeaders } from "#http/security-headers.ts";

/** The HTTP server of a worker process, not yet listening: `/healthz`, `/readyz`, `/metrics`. */
export function createWorkerHealth(settings: {
  pool: pg.Pool;
  registry: Registry;
  metricsToken: string | null;
  /** The metrics read from the database. */
  databaseMetrics: () => Promise<string>;
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
  addGracefulShutdown(app);
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
