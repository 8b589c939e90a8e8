import { sql } from "kysely";
import type { Person } from "#kit/domain/actor.ts";
import type { Db } from "#kit/db/database.ts";
import { invalid } from "#kit/contract/refusal.ts";
import { isOwnPassword, type PasswordSource } from "#access/sign-in/accounts.ts";

/** Prove with the password that this is still the same person. Throws 422 for a wrong one, 429 for too many. */
export async function confirmByPassword(
  db: Db,
  actor: Person,
  password: string,
  from: PasswordSource,
): Promise<{ confirmed: true }> {
  if (!(await isOwnPassword(db, actor, password, from)))
    throw invalid("password", "The password is wrong. Try again.");
  return await confirmSession(db, actor);
}

/** Record that the person of this session has just proved who they are. */
export async function confirmSession(db: Db, actor: Person): Promise<{ confirmed: true }> {
  await db
    .updateTable("sessions")
    .set({ confirmedAt: sql<string>`now()` })
    .where("networkId", "=", actor.networkId)
    .where("userId", "=", actor.userId)
    .where("id", "=", actor.sessionId)
    .execute();
  return { confirmed: true };
}
