import { sql } from "kysely";
import type { Db } from "#server/database.ts";
import { Refusal } from "#server/refusal.ts";
import { inTransaction } from "#server/transaction.ts";
import { lockOf } from "#server/locks.ts";

const greatestFailures = 10;
const windowMinutes = 15;

/** What failures are counted by: where they come from and whom they try. Source: published interface. */
export function failureKey(address: string, email: string): string {
  return `${address} ${email.trim().toLowerCase().slice(0, 200)}`;
}

/**
 * Begin an attempt to sign in: it counts as failed until it is settled, so that attempts made all at
 * once are no more than attempts made one by one. Throws 429 once too many have failed; whether the
 * account exists makes no difference. Answers the attempt's id.
 */
export async function beginAttempt(db: Db, key: string): Promise<number> {
  return await inTransaction(db, async (tx) => {
    await sql`select pg_advisory_xact_lock(${lockOf.signIn}, hashtext(${key}))`.execute(tx);
    await refuseTooManyFailures(tx, key);
    const { id } = await tx
      .insertInto("signInFailures")
      .values({ addressAndEmail: key })
      .returning("id")
      .executeTakeFirstOrThrow();
    return id;
  });
}

/** A success forgets the failures before it; what was neither success nor failure never was. */
export async function settleAttempt(
  db: Db,
  attempt: { id: number; key: string },
  status: number,
): Promise<void> {
  const attempts = db.deleteFrom("signInFailures");
  if (status < 300) await attempts.where("addressAndEmail", "=", attempt.key).execute();
  else if (status !== 401) await attempts.where("id", "=", attempt.id).execute();
  await sql`delete from sign_in_failures where failed_at < now() - make_interval(mins => ${windowMinutes})`.execute(
    db,
  );
}

async function refuseTooManyFailures(db: Db, key: string): Promise<void> {
  const { rows } = await sql<{ failures: number; waitSeconds: number }>`
    select count(*)::int as failures,
      ceil(extract(epoch from min(failed_at) + make_interval(mins => ${windowMinutes}) - now()))::int as wait_seconds
    from (
      select failed_at from sign_in_failures
      where address_and_email = ${key} and failed_at > now() - make_interval(mins => ${windowMinutes})
      order by failed_at desc limit ${greatestFailures}
    ) as recent`.execute(db);
  const [recent] = rows;
  if (!recent || recent.failures < greatestFailures) return;
  const minutes = Math.max(1, Math.ceil(recent.waitSeconds / 60));
  throw new Refusal(
    429,
    `Too many failed sign-ins. Try again in ${minutes} ${minutes === 1 ? "minute" : "minutes"}.`,
    { retryAfterSeconds: Math.max(1, recent.waitSeconds) },
  );
}
