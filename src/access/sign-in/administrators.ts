import { sql } from "kysely";
import type { Admin, AdminPerson } from "#kit/domain/actor.ts";
import { audit } from "#kit/db/audit.ts";
import type { Db } from "#kit/db/database.ts";
import { asSorted } from "#kit/db/sort.ts";
import { notFound, Refusal } from "#kit/contract/refusal.ts";
import { revokeTokensOf } from "#access/tokens/tokens.ts";
import { addUser, canSignIn } from "#access/sign-in/accounts.ts";
import type { Administrator } from "#access/sign-in/contract.ts";
import { type LinkMaking, makeSignInLink, type SignInLink } from "#access/sign-in/sign-in-links.ts";
import { queueMail } from "#outgoing/mail/outbox.ts";
import { invitation } from "#outgoing/mail/texts/sign-in.ts";

/** The network's administrators by name. Invited ones have not chosen a password yet. */
export async function listAdmins(tx: Db, admin: Admin): Promise<Administrator[]> {
  return await tx
    .selectFrom("users as u")
    .select(["u.id", "u.name", "u.email", "u.createdAt", "u.twoFactorEnabled as hasSecondFactor"])
    .select(canSignIn.as("canSignIn"))
    .where("u.networkId", "=", admin.networkId)
    .where("u.role", "=", "admin")
    .orderBy(asSorted(sql`u.name`))
    .orderBy("u.id")
    .execute();
}

/** Create an administrator's account and email its single-use link. Throws 409 for a taken email. */
export async function inviteAdmin(
  tx: Db,
  admin: Admin,
  wanted: { name: string; email: string },
  making: Pick<LinkMaking, "publicUrl" | "from">,
): Promise<SignInLink> {
  const { networkId } = admin;
  const userId = await addUser(tx, { networkId, role: "admin", attorneyId: null, ...wanted });
  const link = await makeSignInLink(tx, { networkId, userId }, "invitation", {
    ...making,
    by: admin,
  });
  await queueMail(tx, invitationMail({ ...wanted, networkId, userId }, admin.networkName, link));
  await audit(tx, admin, {
    action: "invited",
    recordType: "user",
    recordId: userId,
    after: { ...wanted, role: "admin" },
  });
  return link;
}

/**
 * Remove an administrator's account and sessions, and revoke the API tokens that they made, except `keepTokenIds`. The
 * audit trail keeps their changes. Throws 404, also for a token that they did not make, and 409 if no administrator
 * who can sign in would be left.
 */
export async function removeAdmin(
  tx: Db,
  admin: AdminPerson,
  userId: number,
  keepTokenIds: number[],
): Promise<{ removed: true }> {
  // Removals and new tokens of one network take turns, so that two removals cannot leave nobody.
  await sql`select 1 from networks where id = ${admin.networkId} for no key update`.execute(tx);
  const admins = await listAdmins(tx, admin);
  const removed = admins.find((one) => one.id === userId);
  if (!removed) throw notFound("administrator");
  if (!admins.some((one) => one.id !== userId && one.canSignIn))
    throw new Refusal(
      409,
      "You cannot remove the last administrator who can sign in. Invite another one first.",
    );
  await revokeTokensOf(tx, admin, userId, keepTokenIds);
  await tx
    .deleteFrom("users")
    .where("networkId", "=", admin.networkId)
    .where("id", "=", userId)
    .execute();
  await audit(tx, admin, {
    action: "removed",
    recordType: "user",
    recordId: userId,
    before: { name: removed.name, email: removed.email, role: "admin" },
  });
  return { removed: true };
}

/** The email with a single-use link, one per link. */
export function invitationMail(
  to: { networkId: number; userId: number; name: string; email: string },
  networkName: string,
  link: SignInLink,
) {
  return {
    networkId: to.networkId,
    userId: to.userId,
    occasion: `invitation:${to.userId}:${link.expiresAt}`,
    recipient: to.email,
    ...invitation({ name: to.name, networkName, link: link.url }),
  };
}
