import { sql } from "kysely";
import { countedAddress } from "#http/counted-address.ts";
import type { Db } from "#db/database.ts";
import { lockOf } from "#db/locks.ts";
import { Refusal } from "#contract/refusal.ts";
import { inTransaction } from "#db/transaction.ts";

const windowMinutes = 15;
const maxOfAddress = 20;

/**
 * So many requests are remembered in all. Refusing everybody's beyond it would let one person keep
 * all others from a new password; so they are answered, and not counted: an account still is mailed
 * one link in five minutes.
 */
const maxRemembered = 10_000;

/** Requests that one process works on at once: while they wait for their answer, they hold little. */
const maxAtOnce = 100;

let underWay = 0;
/** By address: whoever asks without end leaves room for others. */
const underWayFrom = new Map<string, number>();

/**
 * Let a request for a new password be worked on, unless too many come from its address or at once.
 * Throws 429, whether there is such an account or not: whom a request is about is not looked at.
 */
export async function withinBounds<Answer>(
  db: Db,
  address: string,
  work: () => Promise<Answer>,
): Promise<Answer> {
  const from = countedAddress(address);
  const ofAddress = underWayFrom.get(from) ?? 0;
  if (underWay >= maxAtOnce || ofAddress >= maxOfAddress)
    throw new Refusal(
      429,
      "Too many people ask for a new password at once. Try again in a moment.",
      { retryAfterSeconds: 1 },
    );
  underWay += 1;
  underWayFrom.set(from, ofAddress + 1);
  try {
    await countRequest(db, from);
    return await work();
  } finally {
    underWay -= 1;
    const left = (underWayFrom.get(from) ?? 1) - 1;
    if (left > 0) underWayFrom.set(from, left);
    else underWayFrom.delete(from);
  }
}

async function countRequest(db: Db, address: string): Promise<void> {
  await sql`delete from link_requests where asked_at < now() - make_interval(mins => ${windowMinutes})`.execute(
    db,
  );
  const waitSeconds = await inTransaction(db, async (tx) => {
    // Requests from one address take turns, so that those made at once are counted one by one.
    await sql`select pg_advisory_xact_lock(${lockOf.linkRequest}, hashtext(${address}))`.execute(
      tx,
    );
    const { rows } = await sql<{ ofAddress: number; waitSeconds: number; inAll: number }>`
      select count(*)::int as of_address, (select count(*)::int from link_requests) as in_all,
        ceil(extract(epoch from min(asked_at) + make_interval(mins => ${windowMinutes}) - now()))::int as wait_seconds
      from link_requests where address = ${address}`.execute(tx);
    const [found] = rows;
    if (found && found.ofAddress >= maxOfAddress) return Math.max(1, found.waitSeconds);
    if (found && found.inAll < maxRemembered)
      await tx.insertInto("linkRequests").values({ address }).execute();
    return null;
  });
  if (waitSeconds === null) return;
  const minutes = Math.ceil(waitSeconds / 60);
  throw new Refusal(
    429,
    `Too many requests for a new password. Try again in ${minutes} ${minutes === 1 ? "minute" : "minutes"}.`,
    { retryAfterSeconds: waitSeconds },
  );
}
