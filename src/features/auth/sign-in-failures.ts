import { sql } from "kysely";
import type { Db } from "#server/database.ts";
import { Refusal } from "#server/refusal.ts";

const greatestFailures = 10;
const windowMinutes = 15;

/** What failures are counted by: where they come from and whom they try. Source: published interface. */
export function failureKey(address: string, email: string): string {
  return `${address} ${email.trim().toLowerCase().slice(0, 200)}`;
}

/** Refuse (429) once too many sign-ins have failed; whether the account exists makes no difference. */
export async function refuseTooManyFailures(db: Db, key: string): Promise<void> {
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

export async function noteFailure(db: Db, key: string): Promise<void> {
  await db.insertInto("signInFailures").values({ addressAndEmail: key }).execute();
  await sql`delete from sign_in_failures where failed_at < now() - make_interval(mins => ${windowMinutes})`.execute(
    db,
  );
}

export async function forgetFailures(db: Db, key: string): Promise<void> {
  await db.deleteFrom("signInFailures").where("addressAndEmail", "=", key).execute();
}
