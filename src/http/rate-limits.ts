import rateLimit from "@fastify/rate-limit";
import type { FastifyInstance } from "fastify";
import { Refusal } from "#contract/refusal.ts";
import { RequestCounts } from "#http/request-counts.ts";

const maxRequests = 600;
const windowMs = 60_000;

/**
 * Limit the requests of each session over all processes. Answers the counts, which the processes share
 * with each other. Source: published interface.
 */
export async function limitRequestRates(app: FastifyInstance): Promise<RequestCounts> {
  const counts = new RequestCounts(windowMs);
  await app.register(rateLimit, {
    max: maxRequests,
    timeWindow: windowMs,
    hook: "onRequest",
    allowList: (request) => request.actor === null,
    keyGenerator: (request) => String(request.actor?.sessionId),
    store: class {
      incr(
        key: string,
        callback: (problem: null, found: { current: number; ttl: number }) => void,
      ) {
        callback(null, counts.count(Number(key)));
      }
      child() {
        return this;
      }
    },
    errorResponseBuilder: (_request, context) =>
      new Refusal(429, "Too many requests: at most 600 a minute. Wait a moment and try again.", {
        retryAfterSeconds: Math.ceil(context.ttl / 1000),
      }),
  });
  return counts;
}
