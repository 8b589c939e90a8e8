import { sql } from "kysely";
import { ipRateLimitKey } from "#kit/http/ip-rate-limit-key.ts";
import type { Db } from "#kit/db/database.ts";
import { lockOf } from "#kit/db/locks.ts";
import { Refusal } from "#kit/contract/refusal.ts";
import { inTransaction } from "#kit/db/transaction.ts";
import { refuseTooMany, windowMinutes } from "#access/sign-in/refuse-too-many.ts";

const maxPerAddress = 20;

/**
 * The most requests stored for counting. Requests beyond it are not counted: refusing them would let one person block
 * everyone's password resets, and an account still gets at most one link in five minutes.
 */
const maxStored = 10_000;

/** Requests that one process handles at the same time. */
const maxInFlight = 100;

let inFlight = 0;
/** By address, so that one address cannot use up the limit. */
const inFlightByAddress = new Map<string, number>();

/**
 * Run a request for a new password. Throws 429 for too many from its address or at the same time, whether or not there
 * is such an account.
 */
export async function limitLinkRequests<Answer>(
  db: Db,
  address: string,
  work: () => Promise<Answer>,
): Promise<Answer> {
  const from = ipRateLimitKey(address);
  const ofAddress = inFlightByAddress.get(from) ?? 0;
  if (inFlight >= maxInFlight || ofAddress >= maxPerAddress)
    throw new Refusal(
      429,
      "Too many people are requesting new passwords right now. Try again in a moment.",
      { retryAfterSeconds: 1 },
    );
  inFlight += 1;
  inFlightByAddress.set(from, ofAddress + 1);
  try {
    await countRequest(db, from);
    return await work();
  } finally {
    inFlight -= 1;
    const left = (inFlightByAddress.get(from) ?? 1) - 1;
    if (left > 0) inFlightByAddress.set(from, left);
    else inFlightByAddress.delete(from);
  }
}

async function countRequest(db: Db, address: string): Promise<void> {
  await sql`delete from link_requests where asked_at < now() - make_interval(mins => ${windowMinutes})`.execute(
    db,
  );
  await inTransaction(db, async (tx) => {
    // Requests from one address take turns, so that parallel requests are all counted.
    await sql`select pg_advisory_xact_lock(${lockOf.linkRequest}, hashtext(${address}))`.execute(
      tx,
    );
    const requests = sql`select asked_at as at from link_requests where address = ${address}`;
    const sentence = (wait: string) =>
      `Too many requests for a new password. Try again in ${wait}.`;
    await refuseTooMany(tx, requests, { max: maxPerAddress }, sentence);
    await sql`
      insert into link_requests (address)
      select ${address} where (select count(*) from link_requests) < ${maxStored}`.execute(tx);
  });
}
