import rateLimit from "@fastify/rate-limit";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Actor } from "#kit/domain/actor.ts";
import { Refusal } from "#kit/contract/refusal.ts";
import { ipRateLimitKey } from "#kit/http/ip-rate-limit-key.ts";

const maxRequests = 600;
const windowMs = 60_000;
/** How many callers are remembered. The one that was silent longest is forgotten first. */
const maxCallers = 50_000;

/** Counts a request with an unknown token, with the usual limit for its address. Throws 429. */
export type LimitUnknownTokens = (request: FastifyRequest) => Promise<void>;

/**
 * Limit the requests of each session and each API token in this process. Each further process allows as many again.
 * Source: published interface.
 */
export async function limitRequestRates(app: FastifyInstance): Promise<LimitUnknownTokens> {
  await app.register(rateLimit, {
    max: maxRequests,
    timeWindow: windowMs,
    cache: maxCallers,
    hook: "onRequest",
    allowList: (request) => request.actor === null,
    keyGenerator: (request) => (request.actor ? countedAs(request.actor) : ""),
    errorResponseBuilder: (_request, context) => tooManyRequests(context.ttl),
  });
  const countUnknownToken = app.createRateLimit({
    allowList: () => false,
    keyGenerator: ({ ip }) => ipRateLimitKey(ip),
  });
  return async (request) => {
    const found = await countUnknownToken(request);
    if (!found.isAllowed && found.isExceeded) throw tooManyRequests(found.ttl);
  };
}

const countedAs = (actor: Actor) =>
  actor.userId === null ? `token ${actor.tokenId}` : `session ${actor.sessionId}`;

const tooManyRequests = (ttl: number) =>
  new Refusal(429, "Too many requests. The limit is 600 a minute. Wait a moment and try again.", {
    retryAfterSeconds: Math.ceil(ttl / 1000),
  });
