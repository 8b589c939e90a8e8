import { Readable } from "node:stream";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type pg from "pg";
import { callerKey } from "#kit/domain/actor.ts";
import { IncomingBodies, isBodyIncomplete } from "#kit/http/incoming-bodies.ts";
import { ipRateLimitKey } from "#kit/http/ip-rate-limit-key.ts";
import { serviceBusy } from "#kit/http/errors.ts";
import { TextInPieces } from "#kit/http/text-in-pieces.ts";
import { UnsentResponses } from "#kit/http/unsent-responses.ts";

/** Statements that may wait for each connection of the pool: about half a second of work. */
const maxWaitingPerConnection = 50;

/**
 * The kinds of callers, each with its own limits: signed-in users and programs with an API token, browsers without
 * a session, and other programs, such as card processors. A token must be checked first: until then its request
 * counts as another program's.
 */
type CallerKind = "signed in" | "visitors" | "programs";

/** Requests in flight at the same time, including those that wait for a card processor. */
const maxInFlight: Record<CallerKind, number> = {
  "signed in": 1_000,
  visitors: 300,
  programs: 300,
};

/** Requests in flight from one address without a session. */
const maxPerAddress = 150;

/** Monitoring by operators and load balancers, never refused. */
const probes = new Set(["/healthz", "/readyz", "/metrics"]);

/** Whether a request needs neither a database connection nor a session: monitoring and the web app's files. */
export function needsNoCaller(request: FastifyRequest): boolean {
  return probes.has(request.routeOptions.url ?? "") || request.url.startsWith("/assets/");
}

export interface Load {
  inFlight: number;
  /** Requests without a session. */
  withoutSession: number;
  /** How many requests were refused because of overload. */
  refused: number;
  /** Requests whose body has not arrived completely. */
  receivingBodies: number;
  /** How many of those were aborted, as the oldest of too many. */
  abortedBodies: number;
  /** Responses aborted because the client did not read them. */
  abortedResponses: number;
}

declare module "fastify" {
  interface FastifyContextConfig {
    /** Called by other programs without a session, which have their own limits. */
    isForPrograms?: boolean;
  }
  interface FastifyInstance {
    /** The requests that this process is working on. */
    load: () => Load;
  }
  interface FastifyRequest {
    slot: RequestSlot | null;
  }
}

/**
 * Load shedding: refuse requests while there are too many, with 503 and Retry-After, before any work, even
 * authentication. An unbounded queue would fail everyone a little later. Callers without a session cannot use up
 * the slots of signed-in users, and one address cannot use up those of others. A request has no slot while its body
 * arrives. Must be the first hook that can wait, after the one that sets `request.sessionToken`.
 */
export function refuseOverload(app: FastifyInstance, pool: pg.Pool): void {
  const maxWaiting = maxWaitingPerConnection * (pool.options.max ?? 10);
  const slots = new RequestSlots();
  const bodies = new IncomingBodies();
  const answers = new UnsentResponses();
  let refused = 0;

  /** Waiting requests without a session do not count against signed-in users. */
  const isDatabaseFree = (callerKind: CallerKind) =>
    pool.waitingCount - (callerKind === "signed in" ? slots.withoutSession() : 0) < maxWaiting;

  const takeSlot = (request: FastifyRequest) => {
    if (!request.slot || needsNoCaller(request)) return;
    const callerKind = callerKindOf(request);
    if (isDatabaseFree(callerKind) && request.slot.take(callerKind)) return;
    refused += 1;
    throw serviceBusy();
  };

  app.decorateRequest("slot", null);
  app.addHook("onRequest", async (request, reply) => {
    const slot = slots.for(ipRateLimitKey(request.ip));
    request.slot = slot;
    reply.raw.once("close", () => slot.close());
    takeSlot(request);
  });
  app.addHook("preParsing", async (request, reply, payload) => {
    if (isBodyIncomplete(request.raw)) {
      request.slot?.release();
      const sender = { isSignedIn: request.actor !== null, key: senderOf(request) };
      return bodies.track(request.raw, reply, sender);
    }
    if (request.slot?.heldAs !== callerKindOf(request)) takeSlot(request); // the session has ended, or the token has been checked
    return payload;
  });
  app.addHook("preValidation", async (request) => {
    if (request.slot?.heldAs === null) takeSlot(request); // the body has arrived
  });
  // Only sending is left, and a client that does not read must not occupy a slot.
  app.addHook("onSend", async (request, reply, payload) => {
    if (payload instanceof Readable && !(payload instanceof TextInPieces)) return payload;
    request.slot?.close();
    const bytes = bytesOf(payload);
    answers.track(request, reply, { key: senderOf(request), bytes });
    return payload;
  });
  app.decorate("load", () => ({
    inFlight: slots.taken(),
    withoutSession: slots.withoutSession(),
    refused,
    receivingBodies: bodies.count,
    abortedBodies: bodies.aborted,
    abortedResponses: answers.aborted,
  }));
}

/** The approximate memory that an answer uses until it is sent. */
function bytesOf(payload: unknown): number {
  if (typeof payload === "string") return Buffer.byteLength(payload);
  if (payload instanceof TextInPieces) return 2 * payload.letters;
  return payload instanceof Uint8Array ? payload.length : 0;
}

/** The key of a request's sender: the user, the token or the address. */
function senderOf({ actor, ip }: FastifyRequest): string {
  return actor ? callerKey(actor) : ipRateLimitKey(ip);
}

function callerKindOf(request: FastifyRequest): CallerKind {
  if (request.sessionToken || request.actor) return "signed in";
  const isProgram = request.bearer !== null || request.routeOptions.config.isForPrograms;
  return isProgram ? "programs" : "visitors";
}

class RequestSlots {
  readonly #taken: Record<CallerKind, number> = { "signed in": 0, visitors: 0, programs: 0 };
  /** Slots taken by visitors and programs, by address. */
  readonly #takenByAddress = new Map<string, number>();

  for(address: string): RequestSlot {
    return new RequestSlot(this, address);
  }

  taken(): number {
    return this.#taken["signed in"] + this.withoutSession();
  }

  /** Slots taken by callers without a session. */
  withoutSession(): number {
    return this.#taken.visitors + this.#taken.programs;
  }

  isFree(callerKind: CallerKind, address: string): boolean {
    if (this.#taken[callerKind] >= maxInFlight[callerKind]) return false;
    return callerKind === "signed in" || (this.#takenByAddress.get(address) ?? 0) < maxPerAddress;
  }

  count(callerKind: CallerKind, address: string, change: 1 | -1): void {
    this.#taken[callerKind] += change;
    if (callerKind === "signed in") return;
    const ofAddress = (this.#takenByAddress.get(address) ?? 0) + change;
    if (ofAddress > 0) this.#takenByAddress.set(address, ofAddress);
    else this.#takenByAddress.delete(address);
  }
}

/** One request's slot: taken, released while its body arrives, and taken again. */
class RequestSlot {
  heldAs: CallerKind | null = null;
  readonly #slots: RequestSlots;
  readonly #address: string;
  #isClosed = false;

  constructor(slots: RequestSlots, address: string) {
    this.#slots = slots;
    this.#address = address;
  }

  /** Answers whether a slot was free. A request that has ended gets none. */
  take(callerKind: CallerKind): boolean {
    this.release();
    if (this.#isClosed || !this.#slots.isFree(callerKind, this.#address)) return false;
    this.#slots.count(callerKind, this.#address, 1);
    this.heldAs = callerKind;
    return true;
  }

  release(): void {
    if (this.heldAs) this.#slots.count(this.heldAs, this.#address, -1);
    this.heldAs = null;
  }

  close(): void {
    this.release();
    this.#isClosed = true;
  }
}
