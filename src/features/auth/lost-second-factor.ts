import { randomUUID } from "node:crypto";
import type { Admin, Doer } from "#domain/actor.ts";
import { audit } from "#db/audit.ts";
import { notifyOnCommit } from "#db/changes.ts";
import type { Db } from "#db/database.ts";
import { notFound, Refusal } from "#contract/refusal.ts";
import type { RequestSource } from "#features/auth/sign-in-traces.ts";
import { queueMail } from "#features/mail/outbox.ts";
import { secondFactorRemoved } from "#features/mail/templates.ts";

/** Whose second factor is lost. */
interface Person {
  networkId: number;
  userId: number;
  attorneyId: number | null;
  name: string;
  email: string;
  hasSecondFactor: boolean;
}

/** Throws 404 for who is none of the network's administrators, 409 for oneself and where there is none. */
export async function removeSecondFactorOfAdmin(
  tx: Db,
  admin: Admin,
  userId: number,
  from: RequestSource,
): Promise<{ removed: true }> {
  const person = await people(tx, admin.networkId)
    .where("u.id", "=", userId)
    .where("u.role", "=", "admin")
    .executeTakeFirst();
  if (!person) throw notFound("administrator");
  if (userId === admin.userId)
    throw new Refusal(409, "Your own second factor is removed under your account.");
  return await removeSecondFactor(tx, admin, person, from);
}

/** Throws 404 for who is none of the network's attorneys, 409 where there is none. */
export async function removeSecondFactorOfAttorney(
  tx: Db,
  admin: Admin,
  attorneyId: number,
  from: RequestSource,
): Promise<{ removed: true }> {
  const person = await people(tx, admin.networkId)
    .where("u.attorneyId", "=", attorneyId)
    .executeTakeFirst();
  if (person) return await removeSecondFactor(tx, admin, person, from);
  const attorney = await tx
    .selectFrom("attorneys")
    .select("id")
    .where("networkId", "=", admin.networkId)
    .where("id", "=", attorneyId)
    .executeTakeFirst();
  if (!attorney) throw notFound("attorney");
  throw new Refusal(409, "This attorney has no account, and so no second factor.");
}

/** For an operator, who knows the person by the email address. Throws 404, or 409 where there is none. */
export async function removeSecondFactorOfEmail(
  tx: Db,
  email: string,
  operatorOf: (networkId: number) => Doer,
): Promise<Person> {
  const person = await accounts(tx).where("u.email", "=", email).executeTakeFirst();
  if (!person) throw new Refusal(404, `There is no account with the email address ${email}.`);
  await removeSecondFactor(tx, operatorOf(person.networkId), person);
  return person;
}

const accounts = (tx: Db) =>
  tx
    .selectFrom("users as u")
    .select(["u.networkId", "u.id as userId", "u.attorneyId", "u.name", "u.email"])
    .select("u.twoFactorEnabled as hasSecondFactor")
    .forUpdate();

const people = (tx: Db, networkId: number) => accounts(tx).where("u.networkId", "=", networkId);

/**
 * Take an authenticator app and all passkeys away; the password alone lets in again. Every session ends:
 * whoever has found the phone may have one.
 */
async function removeSecondFactor(
  tx: Db,
  doer: Doer,
  person: Person,
  from?: RequestSource,
): Promise<{ removed: true }> {
  const { networkId, userId, attorneyId, name, email } = person;
  if (!person.hasSecondFactor) throw new Refusal(409, `${name} has no second factor.`);
  for (const table of ["twoFactors", "passkeys", "sessions"] as const)
    await tx
      .deleteFrom(table)
      .where("networkId", "=", networkId)
      .where("userId", "=", userId)
      .execute();
  await queueMail(tx, {
    networkId,
    occasion: `second factor removed:${userId}:${randomUUID()}`,
    recipient: email,
    pagePath: "/account/security",
    ...secondFactorRemoved({ name, by: doer.userId === null ? null : doer.name }),
  });
  await audit(tx, doer, {
    action: "removed second factor",
    recordType: "sign-in",
    recordId: userId,
    after: { ...from, name, email },
  });
  if (attorneyId !== null) notifyOnCommit(tx, networkId, attorneyId);
  return { removed: true };
}
