import rateLimit from "@fastify/rate-limit";
import type { FastifyInstance } from "fastify";
import { Refusal } from "#contract/refusal.ts";
import { RequestCounts } from "#http/request-counts.ts";

const atMost = 600;
const windowMs = 60_000;

/**
 * Limit the requests of each session, whichever process they come to. Answers the counts that
 * processes have to tell each other. Source: published interface.
 */
export async function limitRequestRates(app: FastifyInstance): Promise<RequestCounts> {
  const counts = new RequestCounts(windowMs);
  await app.register(rateLimit, {
    max: atMost,
    timeWindow: windowMs,
    hook: "onRequest",
    allowList: (request) => request.actor === null,
    keyGenerator: (request) => String(request.actor?.sessionId),
    store: class {
      incr(key: string, tell: (problem: null, found: { current: number; ttl: number }) => void) {
        tell(null, counts.count(Number(key)));
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
