import { sql } from "kysely";
import type { Person } from "#kit/domain/actor.ts";
import type { Db } from "#kit/db/database.ts";
import { notFound, Refusal } from "#kit/contract/refusal.ts";
import type { Passkey } from "#access/sign-in/contract.ts";
import {
  mailSignInNotice,
  type RequestSource,
  recordSignInEvent,
} from "#access/sign-in/sign-in-events.ts";

/** Passkeys per account. */
const maxPasskeys = 20;

const ofActor = (db: Db, { networkId, userId }: Person) =>
  db
    .selectFrom("passkeys")
    .select((passkey) => [
      "id",
      passkey.fn.coalesce("name", sql<string>`'Passkey'`).as("name"),
      "backedUp as isSynced",
      "createdAt",
      "lastUsedAt",
    ])
    .where("networkId", "=", networkId)
    .where("userId", "=", userId);

/** The actor's passkeys, newest first. */
export async function listOwnPasskeys(db: Db, actor: Person): Promise<Passkey[]> {
  return await ofActor(db, actor).orderBy("id", "desc").execute();
}

/** Throws 404 for another person's passkey. */
export async function showPasskey(db: Db, actor: Person, id: number): Promise<Passkey> {
  const found = await ofActor(db, actor).where("id", "=", id).executeTakeFirst();
  if (!found) throw notFound("passkey");
  return found;
}

/** Throws 409 if the account has the maximum. */
export async function refuseTooManyPasskeys(db: Db, actor: Person): Promise<void> {
  const own = await listOwnPasskeys(db, actor);
  if (own.length >= maxPasskeys)
    throw new Refusal(
      409,
      `You already have ${maxPasskeys} passkeys. Remove one that you no longer use.`,
    );
}

/** Record and email that a passkey was added. The library has stored it. */
export async function noteNewPasskey(
  tx: Db,
  actor: Person,
  name: string,
  from: RequestSource,
): Promise<void> {
  await recordSignInEvent(tx, actor, "added a passkey", from, { passkey: name });
  await mailSignInNotice(tx, actor, "passkey added", from);
}

/** Throws 404 as above. */
export async function renameOwnPasskey(
  tx: Db,
  actor: Person,
  id: number,
  name: string,
): Promise<Passkey> {
  await showPasskey(tx, actor, id);
  await tx
    .updateTable("passkeys")
    .set({ name })
    .where("networkId", "=", actor.networkId)
    .where("userId", "=", actor.userId)
    .where("id", "=", id)
    .execute();
  return await showPasskey(tx, actor, id);
}

/** Remove a passkey. If it was the last factor, only the password is needed from now on. Throws 404 as above. */
export async function removeOwnPasskey(
  tx: Db,
  actor: Person,
  id: number,
  from: RequestSource,
): Promise<{ removed: true }> {
  const { name } = await showPasskey(tx, actor, id);
  const removed = await tx
    .deleteFrom("passkeys")
    .where("networkId", "=", actor.networkId)
    .where("userId", "=", actor.userId)
    .where("id", "=", id)
    .returning("id")
    .execute();
  if (removed.length === 0) throw notFound("passkey"); // removed by a parallel call
  await recordSignInEvent(tx, actor, "removed a passkey", from, { passkey: name });
  await mailSignInNotice(tx, actor, "passkey removed", from);
  return { removed: true };
}
