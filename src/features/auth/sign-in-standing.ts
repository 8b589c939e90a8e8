import { sql } from "kysely";
import type { Db } from "#db/database.ts";

/*
 * Signing in takes a moment in which the account may change: the library reads the password, verifies it,
 * and makes a session. What was proved then must still hold when that session begins to count.
 */

/** With what an account is signed in to. */
export interface SignInStanding {
  userId: number;
  /** Another one for each password; the same when one is only stored in a newer way. */
  passwordId: string | null;
  /** Of the confirmed authenticator app; null where there is none. */
  factorId: number | null;
}

/** Null where nobody has this email address, or id. */
export async function signInStandingOf(
  db: Db,
  account: { email: string } | { userId: number },
): Promise<SignInStanding | null> {
  const { rows } = await sql<SignInStanding>`
    select u.id as user_id, c.password_id, f.id as factor_id from users u
    left join accounts c on c.network_id = u.network_id and c.user_id = u.id
      and c.provider_id = 'credential'
    left join two_factors f on f.network_id = u.network_id and f.user_id = u.id and f.verified
    where ${"email" in account ? sql`u.email = ${account.email.trim().toLowerCase()}` : sql`u.id = ${account.userId}`}`.execute(
    db,
  );
  return rows[0] ?? null;
}

/**
 * Until the transaction ends, nobody else chooses a password for the account, sets an authenticator app up, or
 * completes a sign-in to it. Taken before a row of its links.
 */
export async function lockSignIn(tx: Db, userId: number): Promise<void> {
  await sql`select id from users where id = ${userId} for no key update`.execute(tx);
}

/** Whether the account stands as it did when a sign-in to it began; under `lockSignIn`, it goes on doing so. */
export async function standsAsBefore(tx: Db, before: SignInStanding): Promise<boolean> {
  const now = await signInStandingOf(tx, before);
  return now?.passwordId === before.passwordId && now.factorId === before.factorId;
}

/** A sign-in that waits for its code began with what does not hold any more. */
export async function endWaitingSignIns(tx: Db, userId: number): Promise<void> {
  await sql`delete from verifications
    where value = ${String(userId)} and identifier like '2fa-%' and identifier not like '2fa-attempts-%'`.execute(
    tx,
  );
}
