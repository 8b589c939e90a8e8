import { createHash } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { type RawBuilder, sql } from "kysely";
import type { FastifyRequest } from "fastify";
import type { Method } from "#kit/contract/endpoint.ts";
import { invalid, Refusal } from "#kit/contract/refusal.ts";
import { callerKey } from "#kit/domain/actor.ts";
import type { Db } from "#kit/db/database.ts";
import { inTransaction } from "#kit/db/transaction.ts";

/*
 * Requests that move money and carry an Idempotency-Key are carried out once, however often they are sent:
 * docs/decisions/068. Only completed requests are remembered; a refused request may be sent again.
 */

/** An answer as it is sent. */
export interface Encoded {
  status: number;
  text: string;
}

type Answered = Encoded & { isReplay: boolean };

/** A request with a key: its sender, and what makes it the same request. */
export interface KeyedRequest {
  networkId: number;
  caller: string;
  path: string;
  key: string;
  requestHash: string;
}

/** Null without the header. Throws 422 for an invalid key, and for a key that contradicts the body. */
export function keyedRequest(
  request: FastifyRequest,
  method: Method,
  { query, body }: Pick<FastifyRequest, "query" | "body">,
): KeyedRequest | null {
  const key = request.headers["idempotency-key"];
  if (key === undefined || !request.actor) return null;
  if (typeof key !== "string" || !/^[\x21-\x7e]{1,255}$/.test(key))
    throw invalid(
      "Idempotency-Key",
      "The Idempotency-Key must have 1 to 255 ASCII letters, digits or symbols, without spaces.",
    );
  if (hasOtherKey(body, key))
    throw invalid(
      "idempotency_key",
      "The Idempotency-Key and the idempotency_key of the request differ. Send only one of them, or the same value in both.",
    );
  const path = (request.url.split("?")[0] ?? "").replace(/\/$/, "");
  return {
    networkId: request.actor.networkId,
    caller: callerKey(request.actor),
    path,
    key,
    requestHash: hashOf([method, path, query ?? null, body ?? null]),
  };
}

const hasOtherKey = (body: unknown, key: string) =>
  typeof body === "object" &&
  body !== null &&
  "idempotency_key" in body &&
  body.idempotency_key !== key;

/** The same for the same names and values in any order. */
function hashOf(request: unknown): string {
  const inOrder = (_: string, value: unknown) =>
    typeof value === "object" && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : value;
  return createHash("sha256").update(JSON.stringify(request, inOrder)).digest("hex");
}

/**
 * Answer a request whose work is one transaction. Its answer is stored in that transaction, so that a crash leaves
 * both or neither. A repeat at the same moment waits for it. Throws 422 for a key that was sent with another
 * request.
 */
export async function answerOnce(
  db: Db,
  keyed: KeyedRequest,
  work: (tx: Db) => Promise<Encoded>,
): Promise<Answered> {
  return await inTransaction(db, async (tx) => {
    const claim = await claimKey(tx, keyed, sql`null`);
    if ("status" in claim) return claim;
    if (!claim.isOurs) throw stillUnderWay();
    const answer = await work(tx);
    await storeAnswer(tx, keyed, answer);
    return { ...answer, isReplay: false };
  });
}

/**
 * Answer a request with several transactions and a card processor in between. `work` records the effect's id in its
 * first transaction, and continues from what it finds under it. So a repeat after a crash neither does it twice nor
 * leaves it half done. A 202 is not stored, since it asks for a repeat.
 */
export async function answerOnceInSteps(
  db: Db,
  keyed: KeyedRequest,
  work: (effectId: string) => Promise<Encoded>,
): Promise<Answered> {
  const claim = await claimWhenFree(db, keyed);
  if ("status" in claim) return claim;
  try {
    const answer = await work(claim.effectId);
    if (answer.status === 202) await release(db, keyed, claim);
    else await storeAnswer(db, keyed, answer);
    return { ...answer, isReplay: false };
  } catch (problem) {
    const didNothing = problem instanceof Refusal && claim.attempts === 1;
    const giveUp = () => (didNothing ? forget(db, keyed, claim) : release(db, keyed, claim));
    await giveUp().catch(() => void giveUpLater(giveUp));
    throw problem;
  }
}

/**
 * Used when the database is down, as in a failover: repeats continue as soon as it is back, instead of waiting for
 * the claim to expire.
 */
async function giveUpLater(giveUp: () => Promise<void>): Promise<void> {
  const until = performance.now() + leaseMs;
  for (let isGiven = false; !isGiven && performance.now() < until;) {
    await pause(500, undefined, { ref: false });
    isGiven = await giveUp().then(
      () => true,
      () => false,
    );
  }
}

interface Claim {
  isOurs: boolean;
  effectId: string;
  attempts: number;
}

/** Longer than a card processor may take to answer. */
const leaseMs = 120_000;
const longestWork = sql`now() + make_interval(secs => ${leaseMs / 1000})`;
const longestWaitMs = 30_000;

/** Wait while another request carries it out, without holding a connection. */
async function claimWhenFree(db: Db, keyed: KeyedRequest): Promise<Claim | Answered> {
  const until = performance.now() + longestWaitMs;
  for (let pauseMs = 50; ; pauseMs = Math.min(1_000, pauseMs * 1.5)) {
    const claim = await claimKey(db, keyed, longestWork);
    if ("status" in claim || claim.isOurs) return claim;
    if (performance.now() > until) throw stillUnderWay();
    await pause(pauseMs);
  }
}

const stillUnderWay = () =>
  new Refusal(
    409,
    "The first request with this Idempotency-Key is still running. Send it again in a moment.",
    { retryAfterSeconds: 2 },
  );

/**
 * Claim a key that is free, has expired, or was left by a process that has ended. Waits for a transaction that has
 * just claimed it. Answers the stored answer, or who has the key.
 */
async function claimKey(
  db: Db,
  keyed: KeyedRequest,
  leaseEndsAt: RawBuilder<unknown>,
): Promise<Claim | Answered> {
  const { networkId, caller, path, key, requestHash } = keyed;
  const { rows } = await sql<Omit<Claim, "isOurs">>`
    insert into idempotency_keys as k (network_id, caller, path, key, request_hash, lease_ends_at)
    values (${networkId}, ${caller}, ${path}, ${key}, ${requestHash}, ${leaseEndsAt})
    on conflict (network_id, caller, path, key) do update set
      request_hash = excluded.request_hash, lease_ends_at = excluded.lease_ends_at, status = null, body = null,
      effect_id = case when ${hasExpired} then excluded.effect_id else k.effect_id end,
      attempts = case when ${hasExpired} then 1 else k.attempts + 1 end,
      created_at = case when ${hasExpired} then now() else k.created_at end
    where ${hasExpired}
      or k.status is null and k.lease_ends_at < now() and k.request_hash = excluded.request_hash
    returning effect_id, attempts`.execute(db);
  const [claimed] = rows;
  if (claimed) return { ...claimed, isOurs: true };
  const found = await sql<{
    requestHash: string;
    effectId: string;
    attempts: number;
    status: number | null;
    body: string | null;
  }>`select request_hash, effect_id, attempts, status, body from idempotency_keys
    where ${isRow(keyed)}`.execute(db);
  const [first] = found.rows;
  if (!first) return { isOurs: false, effectId: "", attempts: 0 }; // purged at this moment
  const { effectId, attempts } = first;
  if (first.requestHash !== requestHash)
    throw invalid(
      "Idempotency-Key",
      "This Idempotency-Key was used for another request. Use a new key for each request.",
    );
  if (first.status === null || first.body === null) return { isOurs: false, effectId, attempts };
  return { status: first.status, text: first.body, isReplay: true };
}

const hasExpired = sql`k.created_at < now() - interval '24 hours'`;

async function storeAnswer(db: Db, keyed: KeyedRequest, { status, text }: Encoded): Promise<void> {
  await sql`update idempotency_keys set status = ${status}, body = ${text}, lease_ends_at = null
    where ${isRow(keyed)}`.execute(db);
}

/** Let the next repeat continue the work. */
async function release(db: Db, keyed: KeyedRequest, { attempts }: Claim): Promise<void> {
  await sql`update idempotency_keys set lease_ends_at = '-infinity'
    where ${isRow(keyed)} and attempts = ${attempts} and status is null`.execute(db);
}

async function forget(db: Db, keyed: KeyedRequest, { attempts }: Claim): Promise<void> {
  await sql`delete from idempotency_keys
    where ${isRow(keyed)} and attempts = ${attempts} and status is null`.execute(db);
}

const isRow = ({ networkId, caller, path, key }: KeyedRequest) =>
  sql`network_id = ${networkId} and caller = ${caller} and path = ${path} and key = ${key}`;

/** Remove answers older than 24 hours. */
export async function purgeIdempotencyKeys(db: Db): Promise<void> {
  await sql`
    delete from idempotency_keys
    where created_at < now() - interval '24 hours'`.execute(db);
}
