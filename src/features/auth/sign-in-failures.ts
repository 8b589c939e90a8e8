import { sql } from "kysely";
import type { Db } from "#server/database.ts";
import { Refusal } from "#server/refusal.ts";
import { inTransaction } from "#server/transaction.ts";
import { lockOf } from "#server/locks.ts";

const windowMinutes = 15;

/** Whose password is tried, and from where. */
export interface Guesser {
  address: string;
  email: string;
}

/** What failures are counted by: where they come from and whom they try. Source: published interface. */
export function failureKey({ address, email }: Guesser): string {
  return `${address} ${asCounted(email)}`;
}

const asCounted = (email: string) => email.trim().toLowerCase().slice(0, 200);

/**
 * How many may fail in a quarter of an hour: ten by the published interface, and so many that nobody
 * mistypes as often of one account from anywhere, and from one address for all accounts.
 */
function limitsFor(guesser: Guesser): { key: string; greatest: number }[] {
  return [
    { key: failureKey(guesser), greatest: 10 },
    { key: `account ${asCounted(guesser.email)}`, greatest: 100 },
    { key: `address ${guesser.address}`, greatest: 100 },
  ];
}

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
    for (const { key, greatest } of limits) await refuseTooManyFailures(tx, key, greatest);
    const rows = await tx
      .insertInto("signInFailures")
      .values(limits.map(({ key }) => ({ addressAndEmail: key })))
      .returning("id")
      .execute();
    return rows.map((row) => row.id);
  });
}

/**
 * A success forgets the failures before it from the same address, not those of others; what was
 * neither success nor failure never was.
 */
export async function settleAttempt(
  db: Db,
  attempt: { ids: number[]; guesser: Guesser },
  outcome: "right" | "wrong" | "no attempt",
): Promise<void> {
  const attempts = db.deleteFrom("signInFailures");
  if (outcome !== "wrong") await attempts.where("id", "in", attempt.ids).execute();
  if (outcome === "right")
    await attempts.where("addressAndEmail", "=", failureKey(attempt.guesser)).execute();
  await sql`delete from sign_in_failures where failed_at < now() - make_interval(mins => ${windowMinutes})`.execute(
    db,
  );
}

async function refuseTooManyFailures(db: Db, key: string, greatest: number): Promise<void> {
  const { rows } = await sql<{ failures: number; waitSeconds: number }>`
    select count(*)::int as failures,
      ceil(extract(epoch from min(failed_at) + make_interval(mins => ${windowMinutes}) - now()))::int as wait_seconds
    from (
      select failed_at from sign_in_failures
      where address_and_email = ${key} and failed_at > now() - make_interval(mins => ${windowMinutes})
      order by failed_at desc limit ${greatest}
    ) as recent`.execute(db);
  const [recent] = rows;
  if (!recent || recent.failures < greatest) return;
  const minutes = Math.max(1, Math.ceil(recent.waitSeconds / 60));
  throw new Refusal(
    429,
    `Too many failed sign-ins. Try again in ${minutes} ${minutes === 1 ? "minute" : "minutes"}.`,
    { retryAfterSeconds: Math.max(1, recent.waitSeconds) },
  );
}
