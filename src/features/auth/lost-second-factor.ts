import { randomUUID } from "node:crypto";
import type { Admin, Doer } from "#domain/actor.ts";
import { audit } from "#db/audit.ts";
import { notifyOnCommit } from "#db/changes.ts";
import type { Db } from "#db/database.ts";
import { Refusal } from "#contract/refusal.ts";
import {
  type AccountHolder,
  lockAccountOf,
  lockAdmin,
  lockAttorney,
} from "#features/auth/account-holders.ts";
import type { RequestSource } from "#features/auth/sign-in-traces.ts";
import { queueMail } from "#features/mail/outbox.ts";
import { secondFactorRemoved } from "#features/mail/templates.ts";

/** Throws 404 for who is none of the network's administrators, 409 for oneself and where there is none. */
export async function removeSecondFactorOfAdmin(
  tx: Db,
  admin: Admin,
  userId: number,
  from: RequestSource,
): Promise<{ removed: true }> {
  const person = await lockAdmin(tx, admin.networkId, userId);
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
  const person = await lockAttorney(tx, admin.networkId, attorneyId, "no second factor");
  return await removeSecondFactor(tx, admin, person, from);
}

/** For an operator, who knows the person by the email address. Throws 404, or 409 where there is none. */
export async function removeSecondFactorOfEmail(
  tx: Db,
  email: string,
  operatorOf: (networkId: number) => Doer,
): Promise<AccountHolder> {
  const person = await lockAccountOf(tx, email);
  await removeSecondFactor(tx, operatorOf(person.networkId), person);
  return person;
}

/**
 * Take an authenticator app and all passkeys away; the password alone lets in again. Every session ends:
 * whoever has found the phone may have one.
 */
async function removeSecondFactor(
  tx: Db,
  doer: Doer,
  person: AccountHolder,
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
