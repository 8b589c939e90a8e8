import { Readable } from "node:stream";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type pg from "pg";
import { ArrivingBodies, isStillArriving } from "#http/arriving-bodies.ts";
import { countedAddress } from "#http/counted-address.ts";
import { busy } from "#http/errors.ts";
import { UnreadResponses } from "#http/unread-answers.ts";

/** Statements that wait for each connection of the pool: about half a second of work. */
const waitingForEach = 50;

/**
 * Who calls, as far as it matters here: people who are signed in, whoever else opens a page, and
 * other programs without a session, such as card processors.
 */
type Callers = "signed in" | "visitors" | "programs";

/** Requests under way at once, those that wait for a card processor included. */
const maxUnderWay: Record<Callers, number> = {
  "signed in": 1_000,
  visitors: 300,
  programs: 300,
};

/** Of those without a session, from one address. */
const maxOfAddress = 150;

/** What operators and balancers watch the process by: answered whatever happens, whoever asks. */
const probes = new Set(["/healthz", "/readyz", "/metrics"]);

/** Whether a request needs neither a connection nor to know who calls: probes, and files of the web app. */
export function isForAnyone(request: FastifyRequest): boolean {
  return probes.has(request.routeOptions.url ?? "") || request.url.startsWith("/assets/");
}

export interface Load {
  underWay: number;
  /** Of those, the ones of whoever is not signed in. */
  ofOthers: number;
  /** How often a request was refused for too many others. */
  refused: number;
  /** Requests whose body has not arrived as a whole. */
  arriving: number;
  /** How many of those were given up, being the slowest of too many. */
  givenUp: number;
  /** Answers given up because nobody read them, with their connections. */
  unread: number;
}

declare module "fastify" {
  interface FastifyContextConfig {
    /** Called by other programs, which have no session: they have places of their own. */
    isForPrograms?: boolean;
  }
  interface FastifyInstance {
    /** How much this process has to do. */
    load: () => Load;
  }
  interface FastifyRequest {
    place: Place | null;
  }
}

/**
 * Refuse requests while there are too many: 503 with Retry-After, before anything of them has begun,
 * who calls included. A queue without an end would fail everybody a little later. Whoever has no
 * session cannot take the places of those who have one, nor one address those of all others; a
 * request whose body is still on its way has no place. Must be the first hook that can wait, once
 * `request.sessionToken` says what session the caller claims to have.
 */
export function refuseOverload(app: FastifyInstance, pool: pg.Pool): void {
  const maxWaiting = waitingForEach * (pool.options.max ?? 10);
  const places = new Places();
  const bodies = new ArrivingBodies();
  const answers = new UnreadResponses();
  let refused = 0;

  /** The places of others may all wait for the database: they do not count against those signed in. */
  const hasRoom = (callers: Callers) =>
    pool.waitingCount - (callers === "signed in" ? places.ofOthers() : 0) < maxWaiting;

  const take = (request: FastifyRequest) => {
    if (!request.place || isForAnyone(request)) return;
    const callers = callersOf(request);
    if (hasRoom(callers) && request.place.take(callers)) return;
    refused += 1;
    throw busy();
  };

  app.decorateRequest("place", null);
  app.addHook("onRequest", async (request, reply) => {
    const place = places.for(countedAddress(request.ip));
    request.place = place;
    reply.raw.once("close", () => place.close());
    take(request);
  });
  app.addHook("preParsing", async (request, reply, payload) => {
    if (isStillArriving(request.raw)) {
      request.place?.leave();
      const sender = { isSignedIn: request.actor !== null, key: senderOf(request) };
      return bodies.follow(request.raw, reply, sender);
    }
    if (request.place?.isFor !== callersOf(request)) take(request); // the session had ended
    return payload;
  });
  app.addHook("preValidation", async (request) => {
    if (request.place?.isFor === null) take(request); // the body is there
  });
  // What is left is to hand the answer over: whoever does not read it must not keep a place.
  app.addHook("onSend", async (request, reply, payload) => {
    if (payload instanceof Readable) return payload;
    request.place?.close();
    const bytes = typeof payload === "string" ? Buffer.byteLength(payload) : 0;
    answers.follow(request, reply, { key: senderOf(request), bytes });
    return payload;
  });
  app.decorate("load", () => ({
    underWay: places.taken(),
    ofOthers: places.ofOthers(),
    refused,
    arriving: bodies.count,
    givenUp: bodies.givenUp,
    unread: answers.givenUp,
  }));
}

/** Whom a body or an answer counts for: a person, or an address. */
function senderOf({ actor, ip }: FastifyRequest): string {
  return actor ? `user ${actor.userId}` : countedAddress(ip);
}

function callersOf(request: FastifyRequest): Callers {
  if (request.sessionToken) return "signed in";
  return request.routeOptions.config.isForPrograms ? "programs" : "visitors";
}

class Places {
  readonly #taken: Record<Callers, number> = { "signed in": 0, visitors: 0, programs: 0 };
  /** Of visitors and programs, by address. */
  readonly #ofAddress = new Map<string, number>();

  for(address: string): Place {
    return new Place(this, address);
  }

  taken(): number {
    return this.#taken["signed in"] + this.ofOthers();
  }

  /** Of everybody without a session. */
  ofOthers(): number {
    return this.#taken.visitors + this.#taken.programs;
  }

  isFree(callers: Callers, address: string): boolean {
    if (this.#taken[callers] >= maxUnderWay[callers]) return false;
    return callers === "signed in" || (this.#ofAddress.get(address) ?? 0) < maxOfAddress;
  }

  count(callers: Callers, address: string, change: 1 | -1): void {
    this.#taken[callers] += change;
    if (callers === "signed in") return;
    const ofAddress = (this.#ofAddress.get(address) ?? 0) + change;
    if (ofAddress > 0) this.#ofAddress.set(address, ofAddress);
    else this.#ofAddress.delete(address);
  }
}

/** One request's place among those under way: taken, left while its body arrives, taken again. */
class Place {
  isFor: Callers | null = null;
  readonly #places: Places;
  readonly #address: string;
  #isClosed = false;

  constructor(places: Places, address: string) {
    this.#places = places;
    this.#address = address;
  }

  /** Answers whether there was one; none is taken for a request that has ended meanwhile. */
  take(callers: Callers): boolean {
    this.leave();
    if (this.#isClosed || !this.#places.isFree(callers, this.#address)) return false;
    this.#places.count(callers, this.#address, 1);
    this.isFor = callers;
    return true;
  }

  leave(): void {
    if (this.isFor) this.#places.count(this.isFor, this.#address, -1);
    this.isFor = null;
  }

  close(): void {
    this.leave();
    this.#isClosed = true;
  }
}
