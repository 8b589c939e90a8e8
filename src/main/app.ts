import { fileURLToPath } from "node:url";
import type { FastifyInstance } from "fastify";
import type { Registry } from "prom-client";
import type { Actor } from "#kit/domain/actor.ts";
import {
  type CardPaymentContext,
  processorTimeoutMs,
  type SandboxAddresses,
} from "#cards/card-payment-context.ts";
import { cardSourcesFor } from "#cards/settings/card-settings.ts";
import { serveCable } from "#outgoing/realtime/cable.ts";
import { takeCspReports } from "#kit/http/csp-reports.ts";
import { serveHealth } from "#kit/http/health.ts";
import {
  measureResponseTimes,
  measureCable,
  newMetricsRegistry,
  serveMetrics,
} from "#kit/http/metrics.ts";
import { describeApi } from "#kit/http/openapi.ts";
import { newHttpServer, type ServerSettings } from "#kit/http/server.ts";
import { serveWebApp } from "#kit/http/web-app.ts";
import { firstScreens } from "#main/first-screens.ts";
import { databaseMetrics } from "#main/metrics.ts";
import { addFeatureRoutes } from "#main/routes.ts";
import type { Readiness } from "#kit/ops/readiness.ts";

export interface AppSettings extends Omit<ServerSettings, "isSecure"> {
  /** The database's address without a pooler, for listening; default: the pool's. */
  directConnectionString?: string;
  publicUrl: string;
  origins: string[];
  /** Whether a mail server is configured; without one, emails are only stored. */
  sendsMail: boolean;
  /** The token that `/metrics` requires from other machines; null allows only loopback. */
  metricsToken: string | null;
  /** This process's metrics, if it measures more than requests; default: a new registry. */
  registry?: Registry;
  /** What `/readyz` requires; default: nothing. */
  needs?: Readiness[];
  /** Addresses of the card processors' sandboxes, for networks that use them; default: none. */
  sandboxes?: SandboxAddresses | null;
  /** The most bytes waiting to be sent to all sockets together. */
  maxQueuedBytes?: number;
  /** The most upgrades to sockets that may wait for authentication. */
  maxPendingUpgrades?: number;
  /** How long a card processor may take to answer. */
  processorTimeoutMs?: number;
}

export const builtWebFolder = fileURLToPath(new URL("../../dist/web/", import.meta.url));

/** The whole web server, before it listens. */
export async function createApp(settings: AppSettings): Promise<FastifyInstance> {
  const isSecure = settings.publicUrl.startsWith("https:");
  const app = await newHttpServer({ ...settings, isSecure });
  const context = cardContextOf(app, settings);
  addFeatureRoutes(app, settings, context);
  describeApi(app);
  serveCable(app, {
    connectionString:
      settings.directConnectionString ?? settings.pool.options.connectionString ?? "",
    secret: settings.secret,
    isSecure,
    trustedProxies: settings.trustedProxies,
    origins: () => (settings.origins.length > 0 ? settings.origins : loopbackOrigins(app)),
    isLimited: settings.rateLimits,
    maxQueuedBytes: settings.maxQueuedBytes,
    maxPendingUpgrades: settings.maxPendingUpgrades,
  });
  serveHealth(app, settings.pool, () => app.cable().isListening, settings.needs);
  const registry = settings.registry ?? newMetricsRegistry(settings.pool);
  measureResponseTimes(registry, app);
  measureCable(registry, app);
  takeCspReports(app);
  serveMetrics(app, { ...settings, registry, databaseMetrics: databaseMetrics(settings.pool) });
  const page = settings.webFolder !== null && {
    folder: settings.webFolder,
    secret: settings.secret,
    isSecure,
    publicUrl: settings.publicUrl,
    sendsMail: settings.sendsMail,
    cableUrl: "/cable",
    sourcesFor: (actor: Actor) => cardSourcesFor(context, actor),
    preloads: firstScreens,
  };
  await serveWebApp(app, page || null);
  return app;
}

/** The loopback origins of a server that listens on a port of its own choice. */
function loopbackOrigins(app: FastifyInstance): string[] {
  const address = app.server.address();
  const port = typeof address === "object" ? address?.port : undefined;
  return [`http://localhost:${port}`, `http://127.0.0.1:${port}`];
}

function cardContextOf(app: FastifyInstance, settings: AppSettings): CardPaymentContext {
  return {
    db: app.db,
    secret: settings.secret,
    publicUrl: settings.publicUrl,
    sandboxes: settings.sandboxes ?? null,
    limits: settings.rateLimits,
    timeoutMs: settings.processorTimeoutMs ?? processorTimeoutMs,
    now: settings.now,
    log: (line) => app.log.warn(line),
  };
}
