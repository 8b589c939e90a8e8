import { sql } from "kysely";
import type { Person } from "#kit/domain/actor.ts";
import type { Db } from "#kit/db/database.ts";
import { invalid, Refusal, refuseViolations } from "#kit/contract/refusal.ts";
import { inTransaction } from "#kit/db/transaction.ts";
import { hashPassword, isOutdated, verifyPassword } from "#access/sign-in/password-hash.ts";
import { refuseGuessable } from "#access/sign-in/password-rules.ts";
import { beginPasswordAttempt, settleAttempt } from "#access/sign-in/sign-in-failures.ts";
import { lockSignIn } from "#access/sign-in/account-holders.ts";
import {
  mailSignInNotice,
  type RequestSource,
  traceFailure,
  recordSignInEvent,
} from "#access/sign-in/sign-in-events.ts";

export interface NewUser {
  networkId: number;
  role: "admin" | "attorney";
  attorneyId: number | null;
  name: string;
  email: string;
}

const emailTaken = () =>
  new Refusal(409, "This email address already belongs to an account.", {
    errors: [{ path: "email", message: "This email address already belongs to an account." }],
  });

/**
 * Whether an account `u` is in use: its person has ever chosen a password or added a passkey. Stays true when an
 * attorney leaves and comes back (rules/second-factors.sql).
 */
export const isInUse = sql<boolean>`(u.in_use_since is not null)`;

/**
 * Whether the person of an account `u` has a password or a passkey to sign in with. A returned attorney has neither
 * until they choose a new password, although the account is in use.
 */
export const canSignIn = sql<boolean>`(
  exists (select from accounts c
    where c.network_id = u.network_id and c.user_id = u.id and c.password is not null)
  or exists (select from passkeys k where k.network_id = u.network_id and k.user_id = u.id))`;

/** Add an account without a password. Its person chooses one with a link. */
export async function addUser(tx: Db, user: NewUser): Promise<number> {
  const { id } = await refuseViolations(
    { users_email_key: emailTaken },
    tx.insertInto("users").values(user).returning("id").executeTakeFirstOrThrow(),
  );
  return id;
}

/**
 * Set an account's password, and end its sign-in links and its sessions except `keepSessionId`. Returns "chosen" for
 * the account's first password. Throws 422 at `path` for an easily guessed password. Source: domain rules §8.
 */
export async function setPassword(
  tx: Db,
  account: { userId: number; email: string; name: string },
  password: string,
  { path = "password", keepSessionId = 0 } = {},
): Promise<"chosen" | "changed"> {
  const { userId } = account;
  await lockSignIn(tx, userId);
  const oldHash = await hashOfAccount(tx, userId);
  const { networkName, wasInUse } = await tx
    .selectFrom("users as u")
    .innerJoin("networks as n", "n.id", "u.networkId")
    .select(["n.name as networkName", isInUse.as("wasInUse")])
    .where("u.id", "=", userId)
    .executeTakeFirstOrThrow();
  await refuseGuessable(password, { ...account, networkName, oldHash }, path);
  const hash = await hashPassword(password);
  await tx
    .updateTable("signInLinks")
    .set({ usedAt: sql<string>`now()` })
    .where("userId", "=", userId)
    .where("usedAt", "is", null)
    .execute();
  await tx
    .insertInto("accounts")
    .values({ userId, accountId: String(userId), providerId: "credential", password: hash })
    .onConflict((conflict) =>
      conflict.columns(["userId", "providerId"]).doUpdateSet({ password: hash }),
    )
    .execute();
  await tx
    .deleteFrom("sessions")
    .where("userId", "=", userId)
    .where("id", "<>", keepSessionId)
    .execute();
  return wasInUse ? "changed" : "chosen";
}

export interface PasswordChange {
  current_password: string;
  new_password: string;
}

/**
 * Change the actor's password and end all other sessions. With `limits` on, wrong passwords count as failed sign-ins.
 * Throws 422 for a wrong current password, 429 for too many.
 */
export async function changeOwnPassword(
  db: Db,
  actor: Person,
  wanted: PasswordChange,
  from: PasswordSource,
): Promise<{ changed: true }> {
  if (!(await isOwnPassword(db, actor, wanted.current_password, from)))
    throw invalid("current_password", "The current password is wrong. Try again.");
  await inTransaction(db, async (tx) => {
    const kept = { path: "new_password", keepSessionId: actor.sessionId };
    await setPassword(tx, actor, wanted.new_password, kept);
    const place = { address: from.address, device: from.device };
    await recordSignInEvent(tx, actor, "changed password", place);
    await mailSignInNotice(tx, actor, "password changed", place);
  });
  return { changed: true };
}

/** An account whose password was right. `passwordId` changes with the password, but not when it is only rehashed. */
export interface VerifiedPassword {
  userId: number;
  passwordId: string;
}

/**
 * The account with this email address, in any case, if the password is right; else null, after the same time. Hashes
 * outside transactions, because hashing is slow and would hold a connection.
 */
export async function accountOfPassword(
  db: Db,
  { email, password }: { email: string; password: string },
): Promise<VerifiedPassword | null> {
  const account = await db
    .selectFrom("users as u")
    .innerJoin("accounts as c", "c.userId", "u.id")
    .select(["u.id as userId", "c.passwordId", "c.password as hash"])
    .where("u.email", "=", email.trim().toLowerCase())
    .where("c.providerId", "=", "credential")
    .executeTakeFirst();
  if (!account?.hash) {
    await hashPassword(password);
    return null;
  }
  const { hash, ...proved } = account;
  if (!(await verifyPassword({ hash, password }))) return null;
  if (isOutdated(hash)) await renewHash(db, proved.userId, hash, password);
  return proved;
}

/**
 * Lock an account whose password was right (`lockSignIn`). Throws 403 if the password has changed since, so that nobody
 * signs in with the old one.
 */
export async function lockVerifiedAccount(
  tx: Db,
  { userId, passwordId }: VerifiedPassword,
): Promise<void> {
  await lockSignIn(tx, userId);
  const account = await tx
    .selectFrom("accounts")
    .select("id")
    .where("userId", "=", userId)
    .where("passwordId", "=", passwordId)
    .executeTakeFirst();
  if (!account)
    throw new Refusal(403, "Your account was changed while you were signing in. Sign in again.");
}

/** Store a new hash for a password with an outdated hash, unless it was changed in between. */
async function renewHash(db: Db, userId: number, hash: string, password: string): Promise<void> {
  const renewed = await hashPassword(password);
  await inTransaction(db, async (tx) => {
    // Keeps a sign-in that waits for its second factor, because the password is the same.
    await sql`select set_config('referral_network.same_password', 'yes', true)`.execute(tx);
    await tx
      .updateTable("accounts")
      .set({ password: renewed })
      .where("userId", "=", userId)
      .where("password", "=", hash)
      .execute();
  });
}

/** Where a signed-in person enters the password again. */
export interface PasswordSource extends RequestSource {
  /** The browser's id if it is known for the account, else null. */
  knownDevice: string | null;
  limits: boolean;
}

/**
 * Whether it is the actor's password. Wrong ones are recorded as failed sign-ins and, with `limits` on, count as such.
 * Throws 429 for too many.
 */
export async function isOwnPassword(
  db: Db,
  actor: Person,
  password: string,
  from: PasswordSource,
): Promise<boolean> {
  const source = { address: from.address, email: actor.email, device: from.knownDevice };
  const place = { address: from.address, device: from.device };
  const ids = from.limits ? await beginPasswordAttempt(db, source, place) : null;
  const isRight = (await accountOfPassword(db, { email: actor.email, password })) !== null;
  if (ids) await settleAttempt(db, { ids, source }, isRight ? "right" : "wrong");
  if (!isRight) await traceFailure(db, actor.email, "failed to sign in", place);
  return isRight;
}

/** The hash of an account's password; null if none is chosen yet. */
async function hashOfAccount(db: Db, userId: number): Promise<string | null> {
  const account = await db
    .selectFrom("accounts")
    .select("password")
    .where("userId", "=", userId)
    .where("providerId", "=", "credential")
    .executeTakeFirst();
  return account?.password ?? null;
}
