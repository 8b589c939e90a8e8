import { sql } from "kysely";
import type { Actor } from "#domain/actor.ts";
import { audit } from "#db/audit.ts";
import type { Db } from "#db/database.ts";
import { invalid, Refusal, refuseViolations } from "#contract/refusal.ts";
import { inTransaction } from "#db/transaction.ts";
import { beginAttempt, settleAttempt } from "#features/auth/sign-in-failures.ts";

/** Loaded with the first password, to save memory in processes that check none. */
const crypto = async () => await import("better-auth/crypto");

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

/** Whether somebody can sign in to an account `u`: not where nobody has used its invitation yet. */
export const isInUse = sql<boolean>`(exists (
    select from accounts c where c.network_id = u.network_id and c.user_id = u.id and c.password is not null)
  or exists (select from passkeys k where k.network_id = u.network_id and k.user_id = u.id))`;

/** Add an account without a password: nobody can sign in to it until a link has set one. */
export async function addUser(tx: Db, user: NewUser): Promise<number> {
  const { id } = await refuseViolations(
    { users_email_key: emailTaken },
    tx.insertInto("users").values(user).returning("id").executeTakeFirstOrThrow(),
  );
  return id;
}

/** Set an account's password and end its sessions, but for the one to keep. Domain rules §8. */
export async function setPassword(
  tx: Db,
  userId: number,
  password: string,
  keepSessionId = 0,
): Promise<void> {
  const { hashPassword } = await crypto();
  const hash = await hashPassword(password);
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
}

export interface PasswordChange {
  current_password: string;
  new_password: string;
}

/**
 * Change one's own password; the present session stays, every other one ends. Wrong ones count with
 * failed sign-ins, where `limits` are on. Throws 422 for a wrong one, 429 for too many.
 */
export async function changeOwnPassword(
  db: Db,
  actor: Actor,
  wanted: PasswordChange,
  from: PasswordSource,
): Promise<{ changed: true }> {
  if (!(await isOwnPassword(db, actor, wanted.current_password, from)))
    throw invalid("current_password", "The current password is not right.");
  await inTransaction(db, async (tx) => {
    await setPassword(tx, actor.userId, wanted.new_password, actor.sessionId);
    const change = { action: "changed password", recordType: "user", recordId: actor.userId };
    await audit(tx, actor, change);
  });
  return { changed: true };
}

/** Where somebody who is signed in enters the password again. */
export interface PasswordSource {
  address: string;
  /** The browser's id, where it is known for the account. */
  device: string | null;
  limits: boolean;
}

/**
 * Whether it is the actor's password. Wrong ones count with failed sign-ins, where `limits` are on. Throws
 * 429 for too many.
 */
export async function isOwnPassword(
  db: Db,
  actor: Actor,
  password: string,
  from: PasswordSource,
): Promise<boolean> {
  const source = { address: from.address, email: actor.email, device: from.device };
  const ids = from.limits ? await beginAttempt(db, source) : null;
  const isRight = await isPasswordOf(db, actor, password);
  if (ids) await settleAttempt(db, { ids, source }, isRight ? "right" : "wrong");
  return isRight;
}

async function isPasswordOf(db: Db, actor: Actor, password: string): Promise<boolean> {
  const account = await db
    .selectFrom("accounts")
    .select("password")
    .where("userId", "=", actor.userId)
    .where("providerId", "=", "credential")
    .executeTakeFirst();
  if (!account?.password) return false;
  const { verifyPassword } = await crypto();
  return await verifyPassword({ hash: account.password, password });
}
