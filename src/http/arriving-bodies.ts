import type { IncomingMessage } from "node:http";
import { PassThrough, type Readable } from "node:stream";
import type { FastifyReply } from "fastify";
import { requestTimedOut } from "#http/errors.ts";

/** Of one person, or of one address of visitors. */
const maxOfCaller = 100;
/** Each may be a quarter of a megabyte. */
const maxOfVisitors = 250;
const maxOfSignedIn = 400;

export interface BodySender {
  isSignedIn: boolean;
  /** Whose the body is: a user, or an address. */
  key: string;
}

/**
 * The bodies of requests that have begun to arrive, and not ended. When there are too many, the one
 * that has been arriving for longest is given up, of the same sender first: it is the slow ones that
 * make way, and what comes at an ordinary pace is never kept out.
 */
export class ArrivingBodies {
  givenUp = 0;
  /** Oldest first, as sets keep them. */
  readonly #ofSender = new Map<string, Set<PassThrough>>();
  readonly #ofVisitors = new Set<PassThrough>();
  readonly #ofSignedIn = new Set<PassThrough>();

  get count(): number {
    return this.#ofVisitors.size + this.#ofSignedIn.size;
  }

  /** The body, to be read instead of `payload`; it fails with 408 when it is given up. */
  follow(payload: Readable, reply: FastifyReply, { isSignedIn, key }: BodySender): PassThrough {
    const body = new PassThrough();
    const groups = [
      { bodies: this.#bodiesOf(key), max: maxOfCaller },
      isSignedIn
        ? { bodies: this.#ofSignedIn, max: maxOfSignedIn }
        : { bodies: this.#ofVisitors, max: maxOfVisitors },
    ];
    for (const { bodies, max } of groups) {
      const [oldest] = bodies;
      if (oldest && bodies.size >= max) {
        this.givenUp += 1;
        oldest.destroy(requestTimedOut());
      }
      bodies.add(body);
    }
    const forget = () => {
      for (const { bodies } of groups) bodies.delete(body);
      if (this.#ofSender.get(key)?.size === 0) this.#ofSender.delete(key);
    };
    payload.on("end", forget);
    payload.on("error", (problem) => body.destroy(problem)); // the sender has gone
    body.on("error", () => void reply.header("Connection", "close")); // nobody reads the rest
    body.on("close", forget);
    return payload.pipe(body);
  }

  #bodiesOf(key: string): Set<PassThrough> {
    const known = this.#ofSender.get(key) ?? new Set();
    this.#ofSender.set(key, known);
    return known;
  }
}

/** Whether a request has a body that has not arrived as a whole; what tests make has, and does not say so. */
export function isStillArriving(request: Partial<IncomingMessage>): boolean {
  const { "content-length": length, "transfer-encoding": encoding } = request.headers ?? {};
  const hasBody = encoding !== undefined || (length !== undefined && length !== "0");
  return hasBody && !(request.complete ?? true);
}
