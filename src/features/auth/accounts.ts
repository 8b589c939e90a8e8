import type { Person } from "#domain/actor.ts";
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
  actor: Person,
  wanted: PasswordChange,
  from: { address: string; device: string | null; limits: boolean },
): Promise<{ changed: true }> {
  const source = { address: from.address, email: actor.email, device: from.device };
  const ids = from.limits ? await beginAttempt(db, source) : null;
  const isRight = await isPasswordOf(db, actor, wanted.current_password);
  if (ids) await settleAttempt(db, { ids, source }, isRight ? "right" : "wrong");
  if (!isRight) throw invalid("current_password", "The current password is not right.");
  await inTransaction(db, async (tx) => {
    await setPassword(tx, actor.userId, wanted.new_password, actor.sessionId);
    const change = { action: "changed password", recordType: "user", recordId: actor.userId };
    await audit(tx, actor, change);
  });
  return { changed: true };
}

async function isPasswordOf(db: Db, actor: Person, password: string): Promise<boolean> {
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
