import { sql } from "kysely";
import type { Actor } from "#domain/actor.ts";
import type { Db } from "#db/database.ts";
import { invalid, Refusal, refuseViolations } from "#contract/refusal.ts";
import { inTransaction } from "#db/transaction.ts";
import { hashPassword, isOutdated, verifyPassword } from "#features/auth/password-hash.ts";
import { refuseGuessable } from "#features/auth/password-rules.ts";
import { beginAttempt, settleAttempt } from "#features/auth/sign-in-failures.ts";
import {
  mailSignInNotice,
  type RequestSource,
  traceSignIn,
} from "#features/auth/sign-in-traces.ts";

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

/** Add an account without a password: nobody can sign in to it until a link has set one. */
export async function addUser(tx: Db, user: NewUser): Promise<number> {
  const { id } = await refuseViolations(
    { users_email_key: emailTaken },
    tx.insertInto("users").values(user).returning("id").executeTakeFirstOrThrow(),
  );
  return id;
}

/**
 * Set an account's password, and end its sessions, but for the one to keep, and its links to choose one.
 * Domain rules §8. Throws 422 at `path` for a password that is guessed first. Answers whether it is the
 * account's first one.
 */
export async function setPassword(
  tx: Db,
  account: { userId: number; email: string; name: string },
  password: string,
  { path = "password", keepSessionId = 0 } = {},
): Promise<"chosen" | "changed"> {
  const { userId } = account;
  const oldHash = await hashOfAccount(tx, userId);
  await refuseGuessable(password, { ...account, oldHash }, path);
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
  return oldHash === null ? "chosen" : "changed";
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
  from: RequestSource & { knownDevice: string | null; limits: boolean },
): Promise<{ changed: true }> {
  const { knownDevice, limits, ...place } = from;
  const source = { address: place.address, email: actor.email, device: knownDevice };
  const ids = limits ? await beginAttempt(db, source) : null;
  const isRight = await isPasswordOf(db, actor, wanted.current_password);
  if (ids) await settleAttempt(db, { ids, source }, isRight ? "right" : "wrong");
  if (!isRight) throw invalid("current_password", "The current password is not right.");
  await inTransaction(db, async (tx) => {
    const kept = { path: "new_password", keepSessionId: actor.sessionId };
    await setPassword(tx, actor, wanted.new_password, kept);
    await traceSignIn(tx, actor, "changed password", place);
    await mailSignInNotice(tx, actor, "password changed", place);
  });
  return { changed: true };
}

/**
 * Store a password that was just found right as new ones are stored, where its hash was made in an older
 * way. A password chosen in between stays.
 */
export async function renewHash(db: Db, email: string, password: string): Promise<void> {
  const account = await db
    .selectFrom("users")
    .innerJoin("accounts", "accounts.userId", "users.id")
    .select(["accounts.id", "accounts.password as hash"])
    .where("users.email", "=", email.trim().toLowerCase())
    .where("accounts.providerId", "=", "credential")
    .executeTakeFirst();
  if (!account?.hash || !isOutdated(account.hash)) return;
  await db
    .updateTable("accounts")
    .set({ password: await hashPassword(password) })
    .where("id", "=", account.id)
    .where("password", "=", account.hash)
    .execute();
}

async function isPasswordOf(db: Db, actor: Actor, password: string): Promise<boolean> {
  const hash = await hashOfAccount(db, actor.userId);
  return hash !== null && (await verifyPassword({ hash, password }));
}

/** The stored hash of an account's password; null where none is chosen yet. */
async function hashOfAccount(db: Db, userId: number): Promise<string | null> {
  const account = await db
    .selectFrom("accounts")
    .select("password")
    .where("userId", "=", userId)
    .where("providerId", "=", "credential")
    .executeTakeFirst();
  return account?.password ?? null;
}
