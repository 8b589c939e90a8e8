import { setTimeout as pause } from "node:timers/promises";
import { sql } from "kysely";
import type { Db } from "#db/database.ts";
import { takenForMinutes } from "#features/mail/outbox.ts";
import { longestMailMs } from "#features/mail/post.ts";
import { postTimeoutMs } from "#features/webhooks/post-webhook.ts";
import { takenForSeconds } from "#features/webhooks/send-webhooks.ts";

/** A mail server or a receiver that takes longer is not waited for: people wait, too. */
const longestWaitMs = 2_000;

/**
 * Wait until what is being mailed and posted of a paused network is noted: the guard would refuse that, and the
 * other cell would send it once more. Nothing more of it is taken meanwhile, but by a statement that began before
 * the pause: so it is looked twice. Answers whether all of it is.
 */
export async function untilDelivered(
  db: Db,
  networkId: number,
  timeoutMs = longestWaitMs,
): Promise<boolean> {
  const until = performance.now() + timeoutMs;
  for (let looks = 0; looks < 2;) {
    looks = (await isAnyUnderWay(db, networkId)) ? 0 : looks + 1;
    if (looks === 0 && performance.now() > until) return false;
    if (looks < 2) await pause(50);
  }
  return true;
}

/** Whoever takes one sets the time of its next attempt, by which it is known. */
async function isAnyUnderWay(db: Db, networkId: number): Promise<boolean> {
  const { rows } = await sql<{ isAny: boolean }>`
    select exists (
      select from mails where network_id = ${networkId} and status = 'queued' and attempts > 0
        and next_attempt_at ${takenLately(takenForMinutes * 60, longestMailMs)}
    ) or exists (
      select from webhook_deliveries where network_id = ${networkId} and state = 'waiting' and attempts > 0
        and next_attempt_at ${takenLately(takenForSeconds, postTimeoutMs)}
    ) as is_any`.execute(db);
  return rows[0]?.isAny ?? false;
}

/** What was taken longer ago than an attempt can last has failed, or its worker has died. */
const takenLately = (takenFor: number, longestMs: number) =>
  sql`between clock_timestamp() + make_interval(secs => ${takenFor - longestMs / 1000})
    and clock_timestamp() + make_interval(secs => ${takenFor})`;
