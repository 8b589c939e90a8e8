import type { IncomingMessage } from "node:http";
import { PassThrough, type Readable } from "node:stream";
import type { FastifyReply } from "fastify";
import { requestTimedOut } from "#kit/http/errors.ts";

/** For one user, or one address without a session. */
const maxPerSender = 100;
/** Each may be a quarter of a megabyte. */
const maxVisitorBodies = 250;
const maxSignedInBodies = 400;

export interface BodySender {
  isSignedIn: boolean;
  /** The user or the address that sends the body. */
  key: string;
}

/**
 * Request bodies that are arriving. If there are too many, the oldest is aborted, first of the same sender. This
 * protects against slow senders (slowloris); a body that arrives at a normal speed is never refused.
 */
export class IncomingBodies {
  aborted = 0;
  /** Oldest first: a Set iterates in insertion order. */
  readonly #bodiesBySender = new Map<string, Set<PassThrough>>();
  readonly #visitorBodies = new Set<PassThrough>();
  readonly #signedInBodies = new Set<PassThrough>();

  get count(): number {
    return this.#visitorBodies.size + this.#signedInBodies.size;
  }

  /** The body, to be read instead of `payload`. It fails with 408 if it is aborted. */
  track(payload: Readable, reply: FastifyReply, { isSignedIn, key }: BodySender): PassThrough {
    const body = new PassThrough();
    const groups = [
      { bodies: this.#bodiesOf(key), max: maxPerSender },
      isSignedIn
        ? { bodies: this.#signedInBodies, max: maxSignedInBodies }
        : { bodies: this.#visitorBodies, max: maxVisitorBodies },
    ];
    for (const { bodies, max } of groups) {
      const [oldest] = bodies;
      if (oldest && bodies.size >= max) {
        this.aborted += 1;
        oldest.destroy(requestTimedOut());
      }
      bodies.add(body);
    }
    const remove = () => {
      for (const { bodies } of groups) bodies.delete(body);
      if (this.#bodiesBySender.get(key)?.size === 0) this.#bodiesBySender.delete(key);
    };
    payload.on("end", remove);
    payload.on("error", (problem) => body.destroy(problem)); // the sender disconnected
    body.on("error", () => void reply.header("Connection", "close")); // the rest is not read
    body.on("close", remove);
    return payload.pipe(body);
  }

  #bodiesOf(key: string): Set<PassThrough> {
    const bodies = this.#bodiesBySender.get(key) ?? new Set();
    this.#bodiesBySender.set(key, bodies);
    return bodies;
  }
}

/** Whether a request's body has not arrived completely. Tests' injected requests have no `complete`. */
export function isBodyIncomplete(request: Partial<IncomingMessage>): boolean {
  const { "content-length": length, "transfer-encoding": encoding } = request.headers ?? {};
  const hasBody = encoding !== undefined || (length !== undefined && length !== "0");
  return hasBody && !(request.complete ?? true);
}
