import { fileURLToPath } from "node:url";
import cookies from "@fastify/cookie";
import staticFiles from "@fastify/static";
import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from "fastify";
import type pg from "pg";
import type { DestinationStream } from "pino";
import type { Registry } from "prom-client";
import { activityRoutes } from "#features/activity/routes.ts";
import { attorneyRecord } from "#features/attorney-record/attorney-record.ts";
import { cardRoutes } from "#features/cards/routes.ts";
import { attorneyRoutes } from "#features/attorneys/routes.ts";
import { databaseMetrics } from "#main/metrics.ts";
import { firstScreens } from "#main/first-screens.ts";
import { authRoutes } from "#features/auth/routes.ts";
import { debitRoutes } from "#features/ledger/routes.ts";
import { importRoutes } from "#features/imports/routes.ts";
import { mailRoutes } from "#features/mail/routes.ts";
import { matterRoutes } from "#features/matters/routes.ts";
import { settingsRoutes } from "#features/suspension/routes.ts";
import { serveCable } from "#features/realtime/cable.ts";
import { reportRoutes } from "#features/exports/routes.ts";
import { cardSourcesFor } from "#features/cards/settings/card-settings.ts";
import { paymentRoutes } from "#features/payments/routes.ts";
import {
  processorTimeoutMs,
  type SandboxAddresses,
  type CardPaymentContext,
} from "#features/cards/card-payment-context.ts";
import { subscriptionRoutes } from "#features/subscriptions/routes.ts";
import type { Actor } from "#domain/actor.ts";
import { answerBrokenRequest } from "#http/broken-requests.ts";
import { isCsrfToken, visitorCookieName } from "#http/csrf.ts";
import { openDatabase } from "#db/database.ts";
import { failure } from "#http/envelope.ts";
import { answerError } from "#http/errors.ts";
import { serveHealth } from "#http/health.ts";
import { openLog } from "#ops/log.ts";
import { measureAnswers, measureCable, openRegistry, serveMetrics } from "#http/metrics.ts";
import { describeApi } from "#http/openapi.ts";
import { isPageRequest, pageRenderer } from "#http/pages.ts";
import { limitRequestRates } from "#http/rate-limits.ts";
import { closeGracefully } from "#http/shutdown.ts";
import { isForAnyone, refuseOverload } from "#http/overload.ts";
import type { Readiness } from "#ops/readiness.ts";
import { requestIdOf } from "#http/request-id.ts";
import { addSecurityHeaders, type PageSources, securityHeaders } from "#http/security-headers.ts";
import type { Clock } from "#http/serve.ts";
import { actorOfToken, sessionCookieName, tokenOfCookie } from "#http/session.ts";

export interface AppSettings {
  pool: pg.Pool;
  /** Past a pooler, for the line that listens; where the pool leads unless given. */
  directConnectionString?: string;
  secret: string;
  publicUrl: string;
  origins: string[];
  now: Clock;
  rateLimits: boolean;
  /** How many reverse proxies stand in front: so many addresses of X-Forwarded-For are theirs. */
  trustedProxies: number;
  logLevel: string;
  /** Where the log's lines go, stderr unless given. */
  logTo?: DestinationStream;
  /** Whether a mail server is configured; without one, mail stays on disk. */
  sendsMail: boolean;
  /** What `/metrics` asks of callers from elsewhere; null lets in nobody but loopback. */
  metricsToken: string | null;
  /** What this process measures, where more than requests are; its own unless given. */
  registry?: Registry;
  /** Where files are kept that processes share: exports. */
  dataDir: string;
  /** Without which `/readyz` says no; nothing unless given. */
  needs?: Readiness[];
  /** Where card processors stand in for themselves, for networks that say so; none by default. */
  sandboxes?: SandboxAddresses | null;
  /** How long a request may take to arrive: headers in half of it, the whole in all of it. */
  arrivalTimeoutMs?: number;
  /** The most bytes that may wait to be sent to all sockets together. */
  maxQueuedBytes?: number;
  /** The most upgrades to sockets that may wait at once to be told whose they are. */
  maxPendingUpgrades?: number;
  /** How long a card processor may take to answer. */
  processorTimeoutMs?: number;
  /** The built web app; null serves calls only. */
  webFolder: string | null;
}

export const builtWebFolder = fileURLToPath(new URL("../../dist/web/", import.meta.url));

const defaultArrivalTimeoutMs = 30_000;

/** The whole web server, not yet listening. */
export async function createApp(settings: AppSettings): Promise<FastifyInstance> {
  const isSecure = settings.publicUrl.startsWith("https:");
  const arrivalTimeoutMs = settings.arrivalTimeoutMs ?? defaultArrivalTimeoutMs;
  const log: FastifyBaseLogger = openLog(settings.logLevel, settings.logTo);
  const app = Fastify({
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: requestIdOf,
    trustProxy: (_address: string, hop: number) => hop < settings.trustedProxies,
    bodyLimit: 256 * 1024,
    requestTimeout: arrivalTimeoutMs,
    http: {
      headersTimeout: arrivalTimeoutMs / 2,
      // Node looks at its connections only so often: it is what the time-outs are rounded up to.
      connectionsCheckingInterval: Math.min(5_000, arrivalTimeoutMs / 4),
    },
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 200 },
    forceCloseConnections: "idle",
    return503OnClosing: false, // what still arrives while closing is answered like the rest
    // Names such as __proto__ are refused where every unknown name is: in serve.
    onProtoPoisoning: "ignore",
    onConstructorPoisoning: "ignore",
    clientErrorHandler: answerBrokenRequest(isSecure),
    // A malformed address is refused before any hook has run.
    frameworkErrors: (problem, request, reply) =>
      void answerError(problem, request, reply.headers(securityHeaders(request.id, isSecure))),
  });
  app.decorate("db", openDatabase(settings.pool));
  app.decorate("now", settings.now);
  app.decorate("endpoints", []);
  app.decorateRequest("actor", null);
  app.decorateRequest("isUnrecognized", false);
  app.decorateRequest("sessionToken", null);
  app.decorateRequest("hasCsrfToken", false);
  app.setErrorHandler(answerError);
  app.removeContentTypeParser("text/plain");

  addSecurityHeaders(app, isSecure);
  closeGracefully(app);
  await app.register(cookies);
  readSessionCookie(app, settings.secret, isSecure);
  refuseOverload(app, settings.pool);
  authenticate(app, settings);
  const requestCounts = settings.rateLimits ? await limitRequestRates(app) : null;
  logRequests(app);

  authRoutes(app, settings);
  attorneyRoutes(app, { ...settings, record: attorneyRecord });
  importRoutes(app);
  subscriptionRoutes(app);
  debitRoutes(app);
  const context = cardContextOf(app, settings);
  paymentRoutes(app, attorneyRecord);
  cardRoutes(app, context, attorneyRecord);
  matterRoutes(app);
  settingsRoutes(app);
  mailRoutes(app, settings);
  activityRoutes(app);
  reportRoutes(app, settings);
  describeApi(app);
  serveCable(app, {
    connectionString:
      settings.directConnectionString ?? settings.pool.options.connectionString ?? "",
    secret: settings.secret,
    isSecure,
    trustedProxies: settings.trustedProxies,
    origins: () => (settings.origins.length > 0 ? settings.origins : loopbackOrigins(app)),
    isLimited: settings.rateLimits,
    requestCounts,
    maxQueuedBytes: settings.maxQueuedBytes,
    maxPendingUpgrades: settings.maxPendingUpgrades,
  });
  serveHealth(app, settings.pool, () => app.cable().isListening, settings.needs);
  const registry = settings.registry ?? openRegistry(settings.pool);
  measureAnswers(registry, app);
  measureCable(registry, app);
  serveMetrics(app, { ...settings, registry, ofDatabase: databaseMetrics(settings.pool) });
  await serveWeb(app, settings, isSecure, (actor) => cardSourcesFor(context, actor));
  return app;
}

/** The loopback origins of a server that listens on a port of its own choosing. */
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

/** Find out what session a caller claims to have: one that we have signed, which may have ended. */
function readSessionCookie(app: FastifyInstance, secret: string, isSecure: boolean): void {
  const cookieName = sessionCookieName(isSecure);
  app.addHook("onRequest", async (request) => {
    request.sessionToken = tokenOfCookie(request.cookies[cookieName], secret);
  });
}

/** Find out who calls, before any route decides whether they may. */
function authenticate(
  app: FastifyInstance,
  { secret, webFolder }: Pick<AppSettings, "secret" | "webFolder">,
): void {
  app.addHook("onRequest", async (request) => {
    if (isForAnyone(request)) return;
    const token = request.sessionToken;
    try {
      request.actor = token ? await actorOfToken(app.db, token) : null;
    } catch (problem) {
      if (!webFolder || !request.is404 || !isPageRequest(request)) throw problem;
      request.log.error({ err: problem }, "a page goes out without its session");
      request.isUnrecognized = true; // a page can say so itself, and try again
      return;
    }
    request.sessionToken = request.actor ? token : null;
    if (request.method === "GET") return; // it changes nothing, so nobody asks for a token
    request.hasCsrfToken = isCsrfToken(
      request.headers["x-csrf-token"],
      { sessionToken: request.sessionToken, visitorSecret: request.cookies[visitorCookieName] },
      secret,
    );
  });
}

/** One line an answer, without addresses, queries or names: no personal data in the log. */
function logRequests(app: FastifyInstance): void {
  app.addHook("onResponse", async (request, reply) => {
    request.log.info(
      {
        method: request.method,
        route: request.routeOptions.url ?? "unknown",
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime),
        user: request.actor?.userId,
        network: request.actor?.networkId,
      },
      "answered",
    );
  });
}

async function serveWeb(
  app: FastifyInstance,
  settings: AppSettings,
  isSecure: boolean,
  sourcesFor: (actor: Actor) => Promise<PageSources>,
): Promise<void> {
  const render =
    settings.webFolder &&
    pageRenderer({
      folder: settings.webFolder,
      secret: settings.secret,
      isSecure,
      cableUrl: "/cable",
      sourcesFor,
      firstScreens,
    });
  if (settings.webFolder) {
    await app.register(staticFiles, {
      root: `${settings.webFolder}/assets`,
      prefix: "/assets/",
      preCompressed: true,
      immutable: true,
      maxAge: "365d",
      index: false,
    });
  }
  app.setNotFoundHandler(async (request, reply) => {
    if (render && isPageRequest(request)) return render(request, reply);
    return reply
      .status(404)
      .type("application/json; charset=utf-8")
      .send(failure("There is no such address."));
  });
}
