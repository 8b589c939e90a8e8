import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Clock } from "#kit/domain/clock.ts";
import { z } from "zod";
import type { Endpoint, Method } from "#kit/contract/endpoint.ts";
import { confirmationPath, secondFactorPath } from "#kit/contract/envelope.ts";
import { fieldErrors } from "#kit/contract/validation-messages.ts";
import { dayIn, type PlainDate } from "#kit/domain/calendar.ts";
import type { Actor, Admin, AttorneyActor, Person } from "#kit/domain/actor.ts";
import type { Db } from "#kit/db/database.ts";
import { Answer, success } from "#kit/http/envelope.ts";
import { RawJson } from "#kit/db/json-query.ts";
import { invalid, Refusal } from "#kit/contract/refusal.ts";
import { inTransaction } from "#kit/db/transaction.ts";
import { answerOnce, answerOnceInSteps, keyedRequest } from "#kit/http/idempotency.ts";
import { yieldingJson } from "#kit/http/yielding-json.ts";
import { piecesOf, TextInPieces } from "#kit/http/text-in-pieces.ts";
import { refuseOtherOwners } from "#kit/http/page-owner.ts";
import { refuseTooManyUploads, withBodyParserFor } from "#kit/http/uploads.ts";

/** Who may call. Everything not granted is refused. */
export type Allowed = "admin" | "attorney" | "signed-in" | "anyone";

type ActorOf<Allow extends Allowed, InPerson extends boolean> = Allow extends "anyone"
  ? Person | null
  : Extract<
      Allow extends "admin" ? Admin : Allow extends "attorney" ? AttorneyActor : Actor,
      InPerson extends true ? Person : Actor
    >;

export interface Call<Allow extends Allowed, InPerson extends boolean, Params, Query, Body> {
  /** The request's transaction. For a GET and for `ownTransactions`, the database itself. */
  tx: Db;
  actor: ActorOf<Allow, InPerson>;
  params: Params;
  query: Query;
  body: Body;
  /** The uploaded file of a call that takes one; empty for others. */
  bytes: Buffer;
  /** Today's date in the actor's network. */
  today: PlainDate;
  request: FastifyRequest;
  /** For cookies. The answer itself is the function's return value. */
  reply: FastifyReply;
  /**
   * For `ownTransactions` and a request with an Idempotency-Key: the same id when the request is repeated. The
   * first transaction records it, after checking whether it already exists. Otherwise null.
   */
  effectId: string | null;
}

export interface Rules<Allow extends Allowed, InPerson extends boolean> {
  allow: Allow;
  /** Refused to programs with any token: it concerns a person, or permissions. */
  inPerson?: InPerson;
  /** The function opens its own transactions, for calls that ask a card processor in between. */
  ownTransactions?: boolean;
  /** Normally a single statement, but it runs in a transaction for a request with an Idempotency-Key. */
  mayRunInTransaction?: boolean;
  /** A GET that changes something, as published. Refused if another site's page sends it. */
  hasSideEffects?: boolean;
  /** The answer is only the object; refusals still have the envelope. */
  withoutEnvelope?: boolean;
  /** Refused unless the user has recently confirmed who they are. The browser then asks for it and calls again. */
  needsConfirmation?: boolean;
}

/**
 * Serve one endpoint of the contract: check the caller, decode the request, open the transaction, call the feature
 * function, encode its answer and wrap it in the envelope. Refusals come in the published order: 401, the 403 to
 * another account's page, CSRF 403, role 403, the 403 that asks for confirmation, 422, then the function's own.
 */
export function serve<
  Allow extends Allowed,
  Params extends z.ZodType,
  Query extends z.ZodType,
  Body extends z.ZodType,
  Object extends z.ZodType,
  InPerson extends boolean = false,
>(
  app: FastifyInstance,
  endpoint: Endpoint<Params, Query, Body, Object>,
  rules: Rules<Allow, InPerson>,
  answer: (
    call: Call<Allow, InPerson, z.output<Params>, z.output<Query>, z.output<Body>>,
  ) => Promise<
    | z.output<Object>
    | Answer<z.output<Object> | RawJson<z.output<Object>>>
    | RawJson<z.output<Object>>
  >,
): void {
  const answerCall = async (
    request: FastifyRequest,
    reply: FastifyReply,
    input: Input,
  ): Promise<InPieces> => {
    const decoded = decode(endpoint, input);
    const timeZone = request.actor?.timeZone ?? "UTC";
    const actor = request.actor as ActorOf<Allow, InPerson>; // onRequest has checked it
    const call = (tx: Db, effectId: string | null = null) => {
      const about = { tx, actor, request, reply, effectId };
      return answer(Object.assign(new CallDay(timeZone, app.now), decoded, about));
    };
    const encoded = (answered: Awaited<ReturnType<typeof answer>>) =>
      encode(endpoint, answered, rules.withoutEnvelope);
    const opensNoTransaction = endpoint.method === "GET" || rules.ownTransactions;
    const keyed = endpoint.movesMoney ? keyedRequest(request, endpoint.method, input) : null;
    if (!keyed)
      return encoded(
        opensNoTransaction ? await call(app.db) : await inTransaction(app.db, (tx) => call(tx)),
      );
    const { isReplay, ...once } =
      opensNoTransaction && !rules.mayRunInTransaction
        ? await answerOnceInSteps(app.db, keyed, async (id) =>
            whole(await encoded(await call(app.db, id))),
          )
        : await answerOnce(app.db, keyed, async (tx) => whole(await encoded(await call(tx))));
    if (isReplay) void reply.header("Idempotent-Replayed", "true");
    return { status: once.status, pieces: piecesOf(once.text) };
  };
  app.endpoints.push({
    endpoint,
    allow: rules.allow,
    isForPrograms: isForPrograms(rules),
    isBare: rules.withoutEnvelope,
    answerForPage: async (request, reply, { params = {}, query = {} }) => {
      allowOnly(rules.allow, endpoint, request);
      const { pieces } = await answerCall(request, reply, { params, query, body: undefined });
      return pieces.length === 1 ? (pieces[0] ?? null) : null;
    },
  });
  withBodyParserFor(app, endpoint, (scope) =>
    scope.route({
      method: endpoint.method,
      url: endpoint.path,
      config: { ownTransactions: rules.ownTransactions, fileMediaType: endpoint.fileMediaType },
      onRequest: async (request, reply) => {
        allowOnly(rules.allow, endpoint, request);
        refuseTokens(rules, request);
        if (rules.needsConfirmation) refuseUnlessConfirmed(request.actor);
        if (rules.hasSideEffects) refuseOtherSites(request);
        if (endpoint.fileMediaType && request.actor)
          refuseTooManyUploads(app.db, request.actor.networkId, reply);
      },
      handler: async (request, reply) => {
        const { status, pieces } = await answerCall(request, reply, request);
        return reply
          .status(status)
          .type("application/json; charset=utf-8")
          .send(pieces.length === 1 ? pieces[0] : new TextInPieces(pieces));
      },
    }),
  );
}

/**
 * The calendar day of a call, computed when it is read. The getter is in a class because one in an object literal
 * gets a hidden class for every call, which keeps the whole request in memory until the next full garbage
 * collection. Measured: docs/decisions/045.
 */
class CallDay {
  readonly #timeZone: string;
  readonly #now: Clock;

  constructor(timeZone: string, now: Clock) {
    this.#timeZone = timeZone;
    this.#now = now;
  }

  get today(): PlainDate {
    return dayIn(this.#timeZone, this.#now());
  }
}

/** Refuse callers without permission. Earlier hooks have set `request.actor` and `request.hasCsrfToken`. */
export function allowOnly(
  allow: Allowed,
  { method, path }: { method: Method; path: string },
  request: FastifyRequest,
): void {
  if (allow !== "anyone" && !request.actor) throw new Refusal(401, "Sign in to continue.");
  if (allow !== "anyone") refuseOtherOwners(request);
  // Browsers never send an API token automatically, so these requests need no CSRF token.
  if (method !== "GET" && request.bearer === null && !request.hasCsrfToken) throw csrfRefusal();
  if ((allow === "admin" || allow === "attorney") && request.actor?.role !== allow)
    throw new Refusal(
      403,
      allow === "admin" ? "Only an administrator may do this." : "Only an attorney may do this.",
    );
  const { actor } = request;
  if (
    actor !== null &&
    actor.userId !== null &&
    actor.lacksSecondFactor &&
    allow !== "anyone" &&
    !path.startsWith("/account/")
  )
    throw secondFactorRefusal();
}

/** Whether programs may make a call with a read-write API token. */
const isForPrograms = ({ allow, inPerson, needsConfirmation }: Rules<Allowed, boolean>) =>
  (allow === "admin" || allow === "signed-in") && !inPerson && !needsConfirmation;

/** Refuse calls that no token may make, and writes by a read-only token. */
export function refuseTokens(rules: Rules<Allowed, boolean>, request: FastifyRequest): void {
  const { actor } = request;
  if (actor?.userId !== null) return;
  if (!isForPrograms(rules))
    throw new Refusal(403, "An API token cannot do this. A person must sign in.");
  const isReading = ["GET", "HEAD"].includes(request.method) && !rules.hasSideEffects;
  if (!actor.mayWrite && !isReading)
    throw new Refusal(403, "This token is read-only. Create a token that can also write.");
}

/**
 * A browser sends our cookies with a link or an image on another site, and says so in Sec-Fetch-Site: our own pages
 * are "same-origin", a typed address is "none", and "same-site" is another host of the same domain, which is not
 * ours. Programs and old browsers do not send the header.
 */
function refuseOtherSites(request: FastifyRequest): void {
  const from = request.headers["sec-fetch-site"];
  if (from === undefined || from === "same-origin" || from === "none") return;
  throw new Refusal(403, "This request came from another website. Open this site and try again.");
}

/** Paths below /account/ are needed to set up a second factor. */
function secondFactorRefusal(): Refusal {
  const message =
    "Your network requires administrators to use a second factor. Set one up under your account first.";
  return new Refusal(403, message, { errors: [{ path: secondFactorPath, message }] });
}

/**
 * As `needsConfirmation`, for a function that needs it only in some cases. The error's path tells the browser to
 * ask the user. A program cannot confirm.
 */
export function refuseUnlessConfirmed(actor: Actor | null): void {
  if (actor !== null && actor.userId !== null && actor.isConfirmed) return;
  const message = "Confirm that it is you, with your password or a passkey.";
  throw new Refusal(403, message, { errors: [{ path: confirmationPath, message }] });
}

export function csrfRefusal(): Refusal {
  return new Refusal(403, "This page is out of date. Reload it and try again.");
}

type Input = Pick<FastifyRequest, "params" | "query" | "body">;

function decode<Params extends z.ZodType, Query extends z.ZodType, Body extends z.ZodType>(
  endpoint: Endpoint<Params, Query, Body>,
  request: Input,
) {
  const query = decodeInput(endpoint.query, request.query);
  const payload = endpoint.fileMediaType ? undefined : request.body;
  refuseProtoKeys(payload);
  const body = decodeInput(endpoint.body, payload ?? (acceptsEmptyBody(endpoint) ? {} : undefined));
  const params = z.safeDecode(endpoint.params, request.params as z.input<Params>);
  if (!params.success) throw new Refusal(404, "There is no such record.");
  const bytes = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
  return { params: params.data, query, body, bytes };
}

/** Zod silently drops `__proto__` from a map, but unknown names must be refused. */
function refuseProtoKeys(body: unknown): void {
  if (typeof body !== "object" || body === null) return;
  for (const [name, value] of Object.entries(body)) {
    if (typeof value === "object" && value !== null && Object.hasOwn(value, "__proto__"))
      throw invalid(`${name}.__proto__`, '"__proto__" is not a field of this request.');
  }
}

/** A request may have thousands of errors. Only the first ones are answered. */
const maxErrors = 100;

function acceptsEmptyBody(endpoint: Endpoint): boolean {
  return endpoint.method === "GET" || z.safeDecode(endpoint.body, {}).success;
}

/** Read an input by its schema. Throws 422 with a sentence for each field refused. */
export function decodeInput<Schema extends z.ZodType>(
  schema: Schema,
  input: unknown,
): z.output<Schema> {
  const decoded = z.safeDecode(schema, input as z.input<Schema>, { reportInput: true });
  if (decoded.success) return decoded.data;
  const errors = fieldErrors(decoded.error).slice(0, maxErrors);
  throw new Refusal(422, errors[0]?.message ?? "The request is not valid.", { errors });
}

async function encode<Object extends z.ZodType>(
  endpoint: Endpoint<z.ZodType, z.ZodType, z.ZodType, Object>,
  answered: unknown,
  isBare = false,
): Promise<InPieces> {
  const { object, status, message } =
    answered instanceof Answer ? answered : new Answer(answered, 200);
  const pieces =
    object instanceof RawJson ? object.pieces : await yieldingJson(endpoint.object, object);
  return { status, pieces: isBare ? pieces : success(pieces, message) };
}

/** An answer's status and text. */
interface InPieces {
  status: number;
  pieces: readonly string[];
}

const whole = ({ status, pieces }: InPieces) => ({ status, text: pieces.join("") });

/** One endpoint of the server, for the OpenAPI description and preloaded pages. */
export interface ServedEndpoint {
  endpoint: Endpoint;
  allow: Allowed;
  /** Programs may call it with an API token. */
  isForPrograms?: boolean;
  /** Its answer has no envelope, only the object. */
  isBare?: boolean;
  /** The answer's media type if it is not JSON. */
  mediaType?: string;
  /**
   * The answer to a GET with this input as JSON text, for the page that preloads it; null if it is long, since the
   * page is drawn sooner without it. Throws the same refusals as the call.
   */
  answerForPage?: (
    request: FastifyRequest,
    reply: FastifyReply,
    input: RawInput,
  ) => Promise<string | null>;
}

/** Parameters and query of a call as text, as in its address. */
export interface RawInput {
  params?: Record<string, string>;
  query?: Record<string, string>;
}

declare module "fastify" {
  interface FastifyContextConfig {
    /** The request has several transactions: if it fails, the first ones stay committed. */
    ownTransactions?: boolean | undefined;
    /** The body's media type if it is not JSON. */
    fileMediaType?: Endpoint["fileMediaType"];
  }
  interface FastifyInstance {
    db: Db;
    now: Clock;
    endpoints: ServedEndpoint[];
  }
  interface FastifyRequest {
    actor: Actor | null;
    /** There is a session cookie, but the database cannot be asked whose it is. */
    isSessionUnknown: boolean;
    /** The text after "Bearer" in the Authorization header; null without an API token. */
    bearer: string | null;
    sessionToken: string | null;
    hasCsrfToken: boolean;
  }
}
