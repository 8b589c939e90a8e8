import { randomUUID } from "node:crypto";
import type { Admin, ChangeAuthor, Person } from "#kit/domain/actor.ts";
import { deviceInWords } from "#kit/domain/device-words.ts";
import { audit } from "#kit/db/audit.ts";
import type { Db } from "#kit/db/database.ts";
import { notFound, Refusal } from "#kit/contract/refusal.ts";
import { isOpen } from "#kit/http/session.ts";
import {
  type AccountHolder,
  lockAccountOf,
  lockAdmin,
  lockAttorney,
} from "#access/sign-in/account-holders.ts";
import type { OwnSession } from "#access/sign-in/contract.ts";
import { type RequestSource, recordSignInEvent } from "#access/sign-in/sign-in-events.ts";
import { queueMail } from "#outgoing/mail/outbox.ts";
import { signedOut } from "#outgoing/mail/texts/sign-in.ts";

/** The actor's sessions: the current one first, then by last use. */
export async function listOwnSessions(tx: Db, actor: Person): Promise<OwnSession[]> {
  const sessions = await tx
    .selectFrom("sessions as s")
    .innerJoin("users as u", (on) =>
      on.onRef("u.networkId", "=", "s.networkId").onRef("u.id", "=", "s.userId"),
    )
    .select(["s.id", "s.ipAddress", "s.userAgent", "s.createdAt", "s.lastSeenAt"])
    .where("s.networkId", "=", actor.networkId)
    .where("s.userId", "=", actor.userId)
    .where(isOpen)
    .orderBy((by) => by("s.id", "=", actor.sessionId), "desc")
    .orderBy("s.lastSeenAt", "desc")
    .orderBy("s.id", "desc")
    .execute();
  return sessions.map(({ id, ipAddress, userAgent, createdAt, lastSeenAt }) => ({
    id,
    device: deviceInWords(userAgent),
    address: ipAddress || null,
    createdAt,
    lastSeenAt,
    isCurrent: id === actor.sessionId,
  }));
}

/** End another session of the actor. Throws 404, or 409 for the current one. */
export async function endOwnSession(
  tx: Db,
  actor: Person,
  sessionId: number,
  from: RequestSource,
): Promise<{ ended: 1 }> {
  if (sessionId === actor.sessionId)
    throw new Refusal(409, "This is your current session. Sign out to end it.");
  const ended = await otherSessions(tx, actor)
    .where("id", "=", sessionId)
    .returning(["ipAddress", "userAgent"])
    .executeTakeFirst();
  if (!ended) throw notFound("session");
  await recordSignInEvent(tx, actor, "ended a session", from, {
    endedDevice: deviceInWords(ended.userAgent),
    endedAddress: ended.ipAddress,
  });
  return { ended: 1 };
}

/** End all sessions of the actor except the current one. Returns how many. */
export async function endOtherSessions(
  tx: Db,
  actor: Person,
  from: RequestSource,
): Promise<{ ended: number }> {
  const ended = await otherSessions(tx, actor).returning("id").execute();
  if (ended.length > 0)
    await recordSignInEvent(tx, actor, "ended other sessions", from, { ended: ended.length });
  return { ended: ended.length };
}

/** End every session of another administrator. Throws 404, or 409 for oneself. */
export async function endSessionsOfAdmin(
  tx: Db,
  admin: Admin,
  userId: number,
  from: RequestSource,
): Promise<{ ended: number }> {
  const person = await lockAdmin(tx, admin.networkId, userId);
  if (userId === admin.userId) throw new Refusal(409, "End your own sessions under Your account.");
  return await endSessionsOf(tx, admin, person, from);
}

/** End every session of an attorney. Throws 404, or 409 without an account. */
export async function endSessionsOfAttorney(
  tx: Db,
  admin: Admin,
  attorneyId: number,
  from: RequestSource,
): Promise<{ ended: number }> {
  const person = await lockAttorney(tx, admin.networkId, attorneyId, "no session");
  return await endSessionsOf(tx, admin, person, from);
}

/** End every session of an account by email address, for an operator. Throws 404. */
export async function endSessionsOfEmail(
  tx: Db,
  email: string,
  operatorOf: (networkId: number) => ChangeAuthor,
): Promise<{ name: string; ended: number }> {
  const person = await lockAccountOf(tx, email);
  const { ended } = await endSessionsOf(tx, operatorOf(person.networkId), person);
  return { name: person.name, ended };
}

/** Audited also without sessions. The person gets an email only if there were some. `from` is absent for an operator. */
async function endSessionsOf(
  tx: Db,
  author: ChangeAuthor,
  { networkId, userId, name, email }: AccountHolder,
  from?: RequestSource,
): Promise<{ ended: number }> {
  const { length: ended } = await tx
    .deleteFrom("sessions")
    .where("networkId", "=", networkId)
    .where("userId", "=", userId)
    .returning("id")
    .execute();
  if (ended > 0)
    await queueMail(tx, {
      networkId,
      userId,
      occasion: `signed out:${userId}:${randomUUID()}`,
      recipient: email,
      pagePath: "/account/security",
      ...signedOut({ name, by: author.userId === null ? null : author.name }),
    });
  await audit(tx, author, {
    action: "ended all sessions",
    recordType: "sign-in",
    recordId: userId,
    after: { ...from, ended },
  });
  return { ended };
}

/** A trigger tells every process about deleted sessions, which close their sockets. */
function otherSessions(tx: Db, actor: Person) {
  return tx
    .deleteFrom("sessions")
    .where("networkId", "=", actor.networkId)
    .where("userId", "=", actor.userId)
    .where("id", "<>", actor.sessionId);
}
