import { setTimeout as pause } from "node:timers/promises";
import { sql } from "kysely";
import type { Db } from "#db/database.ts";
import { takenForMinutes } from "#features/mail/outbox.ts";
import { takenForSeconds } from "#features/webhooks/send-webhooks.ts";

/** A mail server or a receiver that takes longer is not waited for: people wait, too. */
const longestWaitMs = 2_000;
/** What was taken longer ago has failed, or its worker has died. */
const freshSeconds = 10;

/**
 * Wait until what is being mailed and posted of a paused network is noted: the guard would refuse that, and the
 * other cell would send it once more. Nothing more of it is taken meanwhile. Answers whether all of it is.
 */
export async function untilDelivered(
  db: Db,
  networkId: number,
  timeoutMs = longestWaitMs,
): Promise<boolean> {
  const until = performance.now() + timeoutMs;
  while (await isAnyUnderWay(db, networkId)) {
    if (performance.now() > until) return false;
    await pause(50);
  }
  return true;
}

/** Whoever takes one sets the time of its next attempt, by which it is known. */
async function isAnyUnderWay(db: Db, networkId: number): Promise<boolean> {
  const { rows } = await sql<{ isAny: boolean }>`
    select exists (
      select from mails where network_id = ${networkId} and status = 'queued' and attempts > 0
        and next_attempt_at ${takenLately(takenForMinutes * 60)}
    ) or exists (
      select from webhook_deliveries where network_id = ${networkId} and state = 'waiting' and attempts > 0
        and next_attempt_at ${takenLately(takenForSeconds)}
    ) as is_any`.execute(db);
  return rows[0]?.isAny ?? false;
}

const takenLately = (seconds: number) =>
  sql`between clock_timestamp() + make_interval(secs => ${seconds - freshSeconds})
    and clock_timestamp() + make_interval(secs => ${seconds})`;
