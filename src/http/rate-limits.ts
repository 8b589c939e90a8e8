import rateLimit from "@fastify/rate-limit";
import type { FastifyInstance } from "fastify";
import type { Actor } from "#domain/actor.ts";
import { Refusal } from "#contract/refusal.ts";
import { ipRateLimitKey } from "#http/ip-rate-limit-key.ts";
import { RequestCounts } from "#http/request-counts.ts";

const maxRequests = 600;
const windowMs = 60_000;

/**
 * Limit the requests of each session and each API token over all processes. Answers the counts, which the processes share
 * with each other. Source: published interface.
 */
export async function limitRequestRates(app: FastifyInstance): Promise<RequestCounts> {
  const counts = new RequestCounts(windowMs);
  await app.register(rateLimit, {
    max: maxRequests,
    timeWindow: windowMs,
    hook: "onRequest",
    allowList: (request) => request.actor === null,
    keyGenerator: (request) => (request.actor ? countedAs(request.actor) : ""),
    store: class {
      incr(
        key: string,
        callback: (problem: null, found: { current: number; ttl: number }) => void,
      ) {
        callback(null, counts.count(key));
      }
      child() {
        return this;
      }
    },
    errorResponseBuilder: (_request, context) => tooManyRequests(context.ttl),
  });
  return counts;
}

const countedAs = (actor: Actor) =>
  actor.userId === null ? `token ${actor.tokenId}` : `session ${actor.sessionId}`;

/** Count a request with a token that nobody has: as many as any caller's, from one address. Throws 429. */
export function limitUnknownTokens(counts: RequestCounts, address: string): void {
  const { current, ttl } = counts.count(`address ${ipRateLimitKey(address)}`);
  if (current > maxRequests) throw tooManyRequests(ttl);
}

const tooManyRequests = (ttl: number) =>
  new Refusal(429, "Too many requests: at most 600 a minute. Wait a moment and try again.", {
    retryAfterSeconds: Math.ceil(ttl / 1000),
  });
