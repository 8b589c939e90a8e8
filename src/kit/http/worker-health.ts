import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from "fastify";
import type pg from "pg";
import type { Registry } from "prom-client";
import { failure } from "#kit/http/envelope.ts";
import { answerError } from "#kit/http/errors.ts";
import { serveHealth } from "#kit/http/health.ts";
import { addGracefulShutdown } from "#kit/http/shutdown.ts";
import type { Log } from "#kit/ops/log.ts";
import { serveMetrics } from "#kit/http/metrics.ts";
import type { Readiness } from "#kit/ops/readiness.ts";
import { requestIdOf } from "#kit/http/request-id.ts";
import { addSecurityHeaders } from "#kit/http/security-headers.ts";

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
      .send(failure("This address does not exist.")),
  );
  return app;
}
