import { sql } from "kysely";
import { countedAddress } from "#http/counted-address.ts";
import type { Db } from "#db/database.ts";
import { Refusal } from "#contract/refusal.ts";
import { inTransaction } from "#db/transaction.ts";
import { lockOf } from "#db/locks.ts";

const windowMinutes = 15;

/** Whose password is tried, and from where. */
export interface Guesser {
  address: string;
  email: string;
  /** The browser's id, where it is known for this account (device-cookie.ts). */
  device: string | null;
}

/** What failures are counted by: where they come from and whom they try. Source: published interface. */
export function failureKey({ address, email }: Omit<Guesser, "device">): string {
  return `${countedAddress(address)} ${asCounted(email)}`;
}

const asCounted = (email: string) => email.trim().toLowerCase().slice(0, 200);

interface Limit {
  key: string;
  max: number;
  /** The account's, where it is about one. */
  email: string | null;
}

/**
 * How many may fail in a quarter of an hour: ten by the published interface, and so many that nobody
 * mistypes as often of one account from anywhere, and from one address for all accounts. A browser
 * that is known for the account has ten of its own: guesses made elsewhere do not keep its owner out,
 * and it adds none to theirs.
 */
function limitsFor(guesser: Guesser): Limit[] {
  const email = asCounted(guesser.email);
  if (guesser.device !== null) return [{ key: deviceKey(guesser.device, email), max: 10, email }];
  return [
    { key: failureKey(guesser), max: 10, email },
    { key: `account ${email}`, max: 100, email },
    { key: `address ${countedAddress(guesser.address)}`, max: 100, email: null },
  ];
}

const deviceKey = (device: string, email: string) => `device ${device} ${email}`;

/**
 * Begin an attempt at a password: it counts as failed until it is settled, so that attempts made all
 * at once are no more than attempts made one by one. Throws 429 once too many have failed; whether
 * the account exists makes no difference. Answers the attempt's ids.
 */
export async function beginAttempt(db: Db, guesser: Guesser): Promise<number[]> {
  const limits = limitsFor(guesser).toSorted((a, b) => a.key.localeCompare(b.key));
  return await inTransaction(db, async (tx) => {
    for (const { key } of limits)
      await sql`select pg_advisory_xact_lock(${lockOf.signIn}, hashtext(${key}))`.execute(tx);
    for (const { key, max } of limits) await refuseTooManyFailures(tx, key, max);
    const rows = await tx
      .insertInto("signInFailures")
      .values(limits.map(({ key, email }) => ({ addressAndEmail: key, email })))
      .returning("id")
      .execute();
    return rows.map((row) => row.id);
  });
}

/**
 * A success forgets the failures before it from the same address and browser, not those of others;
 * what was neither success nor failure never was.
 */
export async function settleAttempt(
  db: Db,
  attempt: { ids: number[]; guesser: Guesser },
  outcome: "right" | "wrong" | "no attempt",
): Promise<void> {
  const attempts = db.deleteFrom("signInFailures");
  if (outcome !== "wrong") await attempts.where("id", "in", attempt.ids).execute();
  if (outcome === "right") {
    const { device, email } = attempt.guesser;
    const own = device === null ? [] : [deviceKey(device, asCounted(email))];
    await attempts.where("addressAndEmail", "in", [failureKey(attempt.guesser), ...own]).execute();
  }
  await sql`delete from sign_in_failures where failed_at < now() - make_interval(mins => ${windowMinutes})`.execute(
    db,
  );
}

/** Whoever has chosen a password by a mailed link begins anew: what was tried before is forgotten. */
export async function forgetFailures(tx: Db, email: string): Promise<void> {
  await tx.deleteFrom("signInFailures").where("email", "=", asCounted(email)).execute();
}

async function refuseTooManyFailures(db: Db, key: string, max: number): Promise<void> {
  const { rows } = await sql<{ failures: number; waitSeconds: number }>`
    select count(*)::int as failures,
      ceil(extract(epoch from min(failed_at) + make_interval(mins => ${windowMinutes}) - now()))::int as wait_seconds
    from (
      select failed_at from sign_in_failures
      where address_and_email = ${key} and failed_at > now() - make_interval(mins => ${windowMinutes})
      order by failed_at desc limit ${max}
    ) as recent`.execute(db);
  const [recent] = rows;
  if (!recent || recent.failures < max) return;
  const minutes = Math.max(1, Math.ceil(recent.waitSeconds / 60));
  throw new Refusal(
    429,
    `Too many failed sign-ins. Try again in ${minutes} ${minutes === 1 ? "minute" : "minutes"}, or have a link mailed to choose a new password.`,
    { retryAfterSeconds: Math.max(1, recent.waitSeconds) },
  );
}
