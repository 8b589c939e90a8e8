import cookies from "@fastify/cookie";
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyRequest,
  LogController,
} from "fastify";
import type pg from "pg";
import type { DestinationStream } from "pino";
import { Refusal } from "#kit/contract/refusal.ts";
import { openDatabase } from "#kit/db/database.ts";
import { answerMalformedRequest, refuseExpectations } from "#kit/http/malformed-requests.ts";
import {
  bearerOf,
  type FoundProgram,
  hashOfApiToken,
  noteUse,
  programOfHash,
} from "#kit/http/api-tokens.ts";
import { isCsrfToken, visitorCookieName } from "#kit/http/csrf.ts";
import { answerError } from "#kit/http/errors.ts";
import { withoutPort } from "#kit/http/ip-rate-limit-key.ts";
import { needsNoCaller, refuseOverload } from "#kit/http/overload.ts";
import { isPageRequest } from "#kit/http/pages.ts";
import { type LimitUnknownTokens, limitRequestRates } from "#kit/http/rate-limits.ts";
import { readJsonBodies } from "#kit/http/request-json.ts";
import { requestIdOf } from "#kit/http/request-id.ts";
import { refuseUnreadableText } from "#kit/http/request-text.ts";
import { addSecurityHeaders, securityHeaders } from "#kit/http/security-headers.ts";
import type { Clock } from "#kit/domain/clock.ts";
import { isAutomatic, noteSeenSessions } from "#kit/http/seen-sessions.ts";
import { actorOfToken, sessionCookieName, tokenOfCookie } from "#kit/http/session.ts";
import { addGracefulShutdown } from "#kit/http/shutdown.ts";
import { openLog } from "#kit/ops/log.ts";

export interface ServerSettings {
  pool: pg.Pool;
  secret: string;
  /** The site is served over TLS: cookies are Secure. */
  isSecure: boolean;
  now: Clock;
  rateLimits: boolean;
  /** How many reverse proxies are in front. That many addresses of X-Forwarded-For are trusted. */
  trustedProxies: number;
  logLevel: string;
  /** Where log lines go; by default stderr. */
  logTo?: DestinationStream;
  /** How long a request may take to arrive: headers within half of it, the rest within all of it. */
  arrivalTimeoutMs?: number;
  /** The built web app; null serves only calls. */
  webFolder: string | null;
}

const defaultArrivalTimeoutMs = 30_000;

/** A server without routes, not yet listening: it authenticates, limits, logs, and answers errors. */
export async function newHttpServer(settings: ServerSettings): Promise<FastifyInstance> {
  const { isSecure } = settings;
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
      // Node only checks for timeouts this often.
      connectionsCheckingInterval: Math.min(5_000, arrivalTimeoutMs / 4),
    },
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 200 },
    forceCloseConnections: "idle",
    return503OnClosing: false, // answer requests that arrive while closing as usual
    clientErrorHandler: answerMalformedRequest(isSecure),
    // A malformed address is refused before any hook has run.
    frameworkErrors: (problem, request, reply) =>
      void answerError(problem, request, reply.headers(securityHeaders(request.id, isSecure))),
  });
  app.decorate("db", openDatabase(settings.pool));
  app.decorate("now", settings.now);
  app.decorate("endpoints", []);
  app.decorateRequest("actor", null);
  app.decorateRequest("isSessionUnknown", false);
  app.decorateRequest("bearer", null);
  app.decorateRequest("sessionToken", null);
  app.decorateRequest("hasCsrfToken", false);
  app.setErrorHandler(answerError);
  app.removeContentTypeParser("text/plain");
  readJsonBodies(app);

  ignoreForwardedPorts(app);
  addSecurityHeaders(app, isSecure);
  refuseExpectations(app.server, isSecure);
  addGracefulShutdown(app);
  await app.register(cookies);
  readCredentials(app, settings.secret, isSecure);
  refuseUnreadableText(app);
  refuseOverload(app, settings.pool);
  const limitUnknownTokens = settings.rateLimits ? await limitRequestRates(app) : null;
  authenticate(app, settings, limitUnknownTokens);
  logRequests(app);
  return app;
}

/** Some proxies also write the caller's port. Remove it, so that `request.ip` is only the address. */
function ignoreForwardedPorts(app: FastifyInstance): void {
  app.addHook("onRequest", async ({ headers }) => {
    const forwarded = headers["x-forwarded-for"];
    if (typeof forwarded !== "string") return;
    const addresses = forwarded.split(",").map((address) => withoutPort(address.trim()));
    headers["x-forwarded-for"] = addresses.join(", ");
  });
}

/**
 * Read the API token, or else the session token from the cookie if we signed it. Either may have ended. With an API
 * token, cookies are ignored. Card processors' credentials are not ours.
 */
function readCredentials(app: FastifyInstance, secret: string, isSecure: boolean): void {
  const cookieName = sessionCookieName(isSecure);
  app.addHook("onRequest", async (request) => {
    if (request.routeOptions.config.isForPrograms) return; // these requests belong to no user, whatever they carry
    request.bearer = bearerOf(request);
    request.sessionToken =
      request.bearer === null ? tokenOfCookie(request.cookies[cookieName], secret) : null;
  });
}

/** Find the signed-in user or the program, before any route checks permission. */
function authenticate(
  app: FastifyInstance,
  { secret, isSecure, webFolder }: Pick<ServerSettings, "secret" | "isSecure" | "webFolder">,
  limitUnknownTokens: LimitUnknownTokens | null,
): void {
  const noteSeen = noteSeenSessions(app);
  const visitorCookie = visitorCookieName(isSecure);
  app.addHook("onRequest", async (request, reply) => {
    if (needsNoCaller(request)) return;
    if (request.bearer !== null) {
      request.actor = await programOf(request, request.bearer);
      if (request.actor) return;
      await limitUnknownTokens?.(request);
      void reply.header("WWW-Authenticate", "Bearer");
      throw new Refusal(401, "This API token is unknown, revoked or expired.");
    }
    const token = request.sessionToken;
    try {
      const found = token ? await actorOfToken(app.db, token) : null;
      request.actor = found;
      if (found?.isLastSeenStale && !isAutomatic(request)) noteSeen(found.sessionId);
    } catch (problem) {
      if (!webFolder || !request.is404 || !isPageRequest(request)) throw problem;
      request.log.error({ err: problem }, "sending a page without its session");
      request.isSessionUnknown = true; // the page shows it, and tries again
      return;
    }
    request.sessionToken = request.actor ? token : null;
    if (request.method === "GET") return; // changes nothing, so it needs no CSRF token
    request.hasCsrfToken = isCsrfToken(
      request.headers["x-csrf-token"],
      { sessionToken: request.sessionToken, visitorSecret: request.cookies[visitorCookie] },
      secret,
    );
  });
}

async function programOf(request: FastifyRequest, bearer: string): Promise<FoundProgram | null> {
  const { db } = request.server;
  const hash = hashOfApiToken(bearer);
  const program = hash === null ? undefined : await programOfHash(db, hash);
  if (!program) return null;
  noteUse(db, program, (err) => request.log.warn({ err }, "could not note the use of a token"));
  return program;
}

/** One line per answer, without addresses, queries or names: no personal data in the log. */
function logRequests(app: FastifyInstance): void {
  app.addHook("onResponse", async (request, reply) => {
    request.log.info(
      {
        method: request.method,
        route: request.routeOptions.url ?? "unknown",
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime),
        user: request.actor?.userId ?? undefined,
        token: request.actor?.userId === null ? request.actor.tokenId : undefined,
        network: request.actor?.networkId,
      },
      "answered",
    );
  });
}
