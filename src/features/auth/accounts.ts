import { hashPassword, verifyPassword } from "better-auth/crypto";
import type { Actor } from "#server/actor.ts";
import { audit } from "#server/audit.ts";
import type { Db } from "#server/database.ts";
import { invalid, Refusal, refusing } from "#server/refusal.ts";

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

/** Make an account without a password: nobody can sign in to it until a link has set one. */
export async function addUser(tx: Db, user: NewUser): Promise<number> {
  const { id } = await refusing(
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

/** Change one's own password; the present session stays, every other one ends. */
export async function changeOwnPassword(
  tx: Db,
  actor: Actor,
  wanted: { current_password: string; new_password: string },
): Promise<{ changed: true }> {
  const account = await tx
    .selectFrom("accounts")
    .select("password")
    .where("userId", "=", actor.userId)
    .where("providerId", "=", "credential")
    .executeTakeFirst();
  const isRight =
    account?.password &&
    (await verifyPassword({ hash: account.password, password: wanted.current_password }));
  if (!isRight) throw invalid("current_password", "The current password is not right.");
  await setPassword(tx, actor.userId, wanted.new_password, actor.sessionId);
  await audit(tx, actor, {
    action: "changed password",
    recordType: "user",
    recordId: actor.userId,
  });
  return { changed: true };
}
