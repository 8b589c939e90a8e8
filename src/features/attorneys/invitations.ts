import type { Admin } from "#domain/actor.ts";
import { audit } from "#db/audit.ts";
import type { Db } from "#db/database.ts";
import { notFound, Refusal } from "#contract/refusal.ts";
import { addUser } from "#features/auth/accounts.ts";
import { invitationMail } from "#features/auth/administrators.ts";
import { makeSignInLink, type SignInLink } from "#features/auth/sign-in-links.ts";
import { queueMail } from "#features/mail/outbox.ts";

/**
 * Invite an attorney to sign in: make the account if there is none, a single-use link, and a mail
 * with it. An earlier link stops working. Throws 404, or 409 when the email belongs
 * to another account or the attorney has left the panel.
 */
export async function inviteAttorney(
  tx: Db,
  admin: Admin,
  attorneyId: number,
  publicUrl: string,
): Promise<SignInLink> {
  const attorney = await tx
    .selectFrom("attorneys")
    .select(["firstName", "lastName", "email", "leftOn"])
    .where("networkId", "=", admin.networkId)
    .where("id", "=", attorneyId)
    .forNoKeyUpdate()
    .executeTakeFirst();
  if (!attorney) throw notFound("attorney");
  const name = `${attorney.firstName} ${attorney.lastName}`;
  if (attorney.leftOn)
    throw new Refusal(409, `${name} has left the panel and cannot be invited to sign in.`);
  // Asked for once the attorney is locked: of two invitations at once, one makes the account.
  const account = await tx
    .selectFrom("users")
    .select("id")
    .where("networkId", "=", admin.networkId)
    .where("attorneyId", "=", attorneyId)
    .executeTakeFirst();
  const userId =
    account?.id ??
    (await addUser(tx, {
      networkId: admin.networkId,
      role: "attorney",
      attorneyId,
      name,
      email: attorney.email,
    }));
  const link = await makeSignInLink(
    tx,
    { networkId: admin.networkId, userId },
    "invitation",
    publicUrl,
  );
  const to = { networkId: admin.networkId, userId, name, email: attorney.email };
  await queueMail(tx, invitationMail(to, admin.networkName, link));
  await audit(tx, admin, { action: "invited", recordType: "attorney", recordId: attorneyId });
  return link;
}
