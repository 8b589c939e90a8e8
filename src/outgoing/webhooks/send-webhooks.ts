import { setTimeout as after } from "node:timers/promises";
import { sql } from "kysely";
import { notifyNow } from "#kit/db/changes.ts";
import type { Db } from "#kit/db/database.ts";
import { takeDue } from "#kit/db/take-due.ts";
import { DecryptionFailed } from "#kit/ops/encryption.ts";
import { webhookIdOf } from "#outgoing/webhooks/deliveries.ts";
import { type PostOutcome, postWebhook } from "#outgoing/webhooks/post-webhook.ts";
import { publicAddressesOnly, type AddressPolicy } from "#outgoing/webhooks/public-address.ts";
import { decryptedSecret, readableSecret } from "#outgoing/webhooks/webhook-secrets.ts";

export interface Sending {
  db: Db;
  /** The key for secrets at rest. */
  secret: string;
  /** Only public addresses unless given; tests pass their own. */
  reach?: AddressPolicy;
  timeoutMs?: number;
}

/** After each attempt but the last. They add up to three days and one hour. */
const pausesInSeconds = [
  5,
  5 * 60,
  30 * 60,
  ...[2, 5, 10, 14, 20, 21].map((hours) => hours * 3600),
];

/** The limit for a receiver's `Retry-After`. */
const longestPause = Math.max(...pausesInSeconds);

/** The largest random share added to a pause, so that deliveries that failed together are spread out. */
const jitter = 0.1;

/** A lane is one post at a time. Every network has the same limit, so a backlog does not block others. */
const lanesInAll = 24;
const lanesOfNetwork = 4;
/** A lane then ends, so that other endpoints get a turn. */
const laneMs = 10_000;
const lookEveryMs = 1_000;

/** Longer than any post. A killed worker's deliveries become due again after this time. */
const takenForSeconds = 60;

interface EndpointKey {
  networkId: number;
  id: number;
}

interface TakenDelivery {
  networkId: number;
  id: number;
  endpointId: number;
  /** Includes the current attempt. */
  attempts: number;
  url: string;
  encryptedSecret: string;
  /** Null if it has expired. */
  encryptedOldSecret: string | null;
  keyVersion: number;
  webhookId: string;
  type: string;
  data: unknown;
  createdAt: string;
}

/**
 * Post all due deliveries, or stop when asked after finishing current posts. Any number of workers may run; each takes
 * one delivery at a time. A delivery is posted again unless it was recorded as accepted, so a receiver may get a
 * message twice. Returns how many were accepted.
 */
export async function sendDueWebhooks(sending: Sending, stopping?: AbortSignal): Promise<number> {
  const lanes = new Map<Promise<void>, EndpointKey>();
  let taken = 0;
  let failure: unknown;
  const open = (endpoint: EndpointKey) => {
    const lane = sendInTurn(sending, endpoint, stopping)
      .then((count) => void (taken += count))
      .catch((problem: unknown) => void (failure ??= problem))
      .finally(() => lanes.delete(lane));
    lanes.set(lane, endpoint);
  };
  const openDue = async () => {
    for (const endpoint of await dueEndpoints(sending.db)) openLanes(endpoint, lanes, open);
  };
  for (;;) {
    if (!stopping?.aborted && failure === undefined)
      await openDue().catch((problem: unknown) => void (failure = problem)); // thrown once lanes have ended
    if (lanes.size === 0) break;
    const look = new AbortController();
    const looking = after(lookEveryMs, undefined, { signal: look.signal }).catch(() => undefined);
    await Promise.race([...lanes.keys(), looking]);
    look.abort();
  }
  if (failure !== undefined) throw failure;
  return taken;
}

/** Whether any network has an active webhook. */
export async function hasActiveEndpoint(db: Db): Promise<boolean> {
  const query = db.selectFrom("webhookEndpoints").select("id").where("active", "=", true).limit(1);
  return (await query.executeTakeFirst()) !== undefined;
}

interface DueEndpoint extends EndpointKey {
  isFailing: boolean;
  due: number;
}

/** A failing endpoint gets only one lane. */
function openLanes(
  endpoint: DueEndpoint,
  lanes: Map<unknown, EndpointKey>,
  open: (endpoint: EndpointKey) => void,
): void {
  const { networkId, id } = endpoint;
  const wanted = endpoint.isFailing ? 1 : endpoint.due;
  const count = (isCounted: (lane: EndpointKey) => boolean) =>
    [...lanes.values()].filter(isCounted).length;
  const room = Math.min(
    lanesInAll - lanes.size,
    lanesOfNetwork - count((lane) => lane.networkId === networkId),
    wanted - count((lane) => lane.networkId === networkId && lane.id === id),
  );
  for (let opened = 0; opened < room; opened += 1) open({ networkId, id });
}

/** In random order, so that every endpoint gets a turn if there are more than lanes. */
async function dueEndpoints(db: Db): Promise<DueEndpoint[]> {
  const { rows } = await sql<DueEndpoint>`
    select e.network_id, e.id, e.failing_since is not null as is_failing, waiting.due
    from webhook_endpoints e
    cross join lateral (
      select count(*) as due from (
        select from webhook_deliveries d
        where d.network_id = e.network_id and d.endpoint_id = e.id and d.state = 'waiting'
          and d.next_attempt_at <= now()
        limit ${lanesOfNetwork}
      ) as first_due
    ) as waiting
    where ${isOpen} and waiting.due > 0
    order by random()`.execute(db);
  return rows;
}

const isOpen = sql`e.active and (e.not_before is null or e.not_before <= now())`;

/** Post an endpoint's due deliveries one after another. Returns how many were accepted. */
async function sendInTurn(
  sending: Sending,
  endpoint: EndpointKey,
  stopping?: AbortSignal,
): Promise<number> {
  const until = performance.now() + laneMs;
  const shouldContinue = () => !stopping?.aborted && performance.now() < until;
  let count = 0;
  while (shouldContinue()) {
    const delivery = await takeNext(sending.db, endpoint);
    if (!delivery) break;
    const outcome = await post(sending, delivery);
    await (outcome.isTaken ? noteTaken : noteFailure)(sending.db, delivery, outcome);
    const { networkId } = endpoint;
    notifyNow(sending.db, { networkId, attorneyId: null, topic: "administration" });
    if (!outcome.isTaken) break; // the endpoint is paused
    count += 1;
  }
  return count;
}

/** Taking a delivery counts as an attempt. */
async function takeNext(
  db: Db,
  { networkId, id }: EndpointKey,
): Promise<TakenDelivery | undefined> {
  const due = {
    table: "webhook_deliveries",
    at: "next_attempt_at",
    thenBy: "id",
    counter: "attempts",
    where: sql`network_id = ${networkId} and endpoint_id = ${id} and state = 'waiting'`,
    pause: sql`make_interval(secs => ${takenForSeconds})`,
    join: sql`
      join webhook_endpoints e on e.network_id = due.network_id and e.id = due.endpoint_id and ${isOpen}
      join webhook_messages m on m.network_id = due.network_id and m.id = due.message_id`,
    returning: sql`taken.network_id, taken.id, taken.endpoint_id, taken.attempts, e.url, e.encrypted_secret,
      case when e.old_secret_expires_at > now() then e.encrypted_old_secret end as encrypted_old_secret,
      e.key_version, m.webhook_id, m.type, m.data, m.created_at`,
  };
  return (await takeDue<TakenDelivery>(db, due, { limit: 1 }))[0];
}

/** The body is the same in every attempt; the time stamp and signatures are new. */
async function post(
  { secret, reach = publicAddressesOnly, timeoutMs }: Sending,
  delivery: TakenDelivery,
): Promise<PostOutcome> {
  const { url, type, data, createdAt, encryptedSecret, encryptedOldSecret } = delivery;
  try {
    const current = decryptedSecret(delivery, encryptedSecret, secret);
    const old = encryptedOldSecret && readableSecret(delivery, encryptedOldSecret, secret);
    const secrets = old ? [current, old] : [current];
    const body = JSON.stringify({ type, timestamp: createdAt, data });
    const id = webhookIdOf(delivery.webhookId);
    return await postWebhook({ url, id, body, secrets, sentAt: new Date() }, reach, timeoutMs);
  } catch (problem) {
    if (!(problem instanceof DecryptionFailed)) throw problem;
    return {
      isTaken: false,
      status: null,
      problem: "The secret can no longer be read. Make a new one.",
      secondsToWait: 0,
    };
  }
}

/**
 * Updates the endpoint's row only if something changed. Leaves its pause: another post at the same time may have been
 * told how long to wait.
 */
async function noteTaken(db: Db, taken: TakenDelivery, { status }: PostOutcome): Promise<void> {
  await sql`
    with noted as (
      update webhook_deliveries
      set state = 'delivered', delivered_at = clock_timestamp(), next_attempt_at = null,
        last_status = ${status}, last_problem = null
      where network_id = ${taken.networkId} and id = ${taken.id} and state = 'waiting'
    )
    update webhook_endpoints
    set last_success_at = clock_timestamp(), failing_since = null
    where network_id = ${taken.networkId} and id = ${taken.endpointId}
      and (failing_since is not null or last_success_at is null
        or last_success_at < now() - interval '10 seconds')`.execute(db);
}

/**
 * Skips a delivery that was sent again in between. The endpoint pauses for five seconds to five minutes, longer the
 * longer it has failed, or for its `Retry-After`, which also delays the message. An endpoint that is gone, or has
 * failed for three days, is switched off.
 */
async function noteFailure(
  db: Db,
  taken: TakenDelivery,
  { status, problem, secondsToWait }: PostOutcome,
): Promise<void> {
  const rest = Math.min(secondsToWait, longestPause);
  const pause = pausesInSeconds[taken.attempts - 1];
  const pauseSeconds =
    pause === undefined ? null : Math.max(pause, rest) * (1 + jitter * Math.random());
  const isGone = status === 410;
  await sql`
    with noted as (
      update webhook_deliveries
      set last_status = ${status}, last_problem = ${problem},
        state = ${pauseSeconds === null ? "failed" : "waiting"},
        next_attempt_at = clock_timestamp() + make_interval(secs => ${pauseSeconds})
      where network_id = ${taken.networkId} and id = ${taken.id} and state = 'waiting'
        and attempts = ${taken.attempts}
      returning id
    )
    update webhook_endpoints
    set failing_since = coalesce(failing_since, clock_timestamp()),
      not_before = greatest(not_before, clock_timestamp() + make_interval(secs => case when exists (select from noted) then ${rest}::float8 else 0 end),
        clock_timestamp() + least(interval '5 minutes',
          greatest(interval '5 seconds', (clock_timestamp() - failing_since) / 4))),
      active = not ${isTooLong(isGone)},
      disabled_reason = case when ${isGone} then 'gone' when ${isTooLong(isGone)} then 'failed' end
    where network_id = ${taken.networkId} and id = ${taken.endpointId} and url = ${taken.url} and active`.execute(
    db,
  );
}

const isTooLong = (isGone: boolean) =>
  sql`(${isGone} or coalesce(failing_since < now() - interval '3 days', false))`;
