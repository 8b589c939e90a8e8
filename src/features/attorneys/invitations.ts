import type { Admin } from "#server/actor.ts";
import { audit } from "#server/audit.ts";
import type { Db } from "#server/database.ts";
import { notFound } from "#server/refusal.ts";
import { addUser } from "#features/auth/accounts.ts";
import { makeSignInLink, type SignInLink } from "#features/auth/sign-in-links.ts";

/**
 * Invite an attorney to sign in: make the account if there is none, and a single-use link. An
 * earlier link stops working. Throws 404, or 409 when the email belongs to another account.
 */
export async function invite(
  tx: Db,
  admin: Admin,
  attorneyId: number,
  publicUrl: string,
): Promise<SignInLink> {
  const attorney = await tx
    .selectFrom("attorneys as a")
    .leftJoin("users as u", (on) =>
      on.onRef("u.networkId", "=", "a.networkId").onRef("u.attorneyId", "=", "a.id"),
    )
    .select(["a.id", "a.firstName", "a.lastName", "a.email", "u.id as userId"])
    .where("a.networkId", "=", admin.networkId)
    .where("a.id", "=", attorneyId)
    .forNoKeyUpdate("a")
    .executeTakeFirst();
  if (!attorney) throw notFound("attorney");
  const userId =
    attorney.userId ??
    (await addUser(tx, {
      networkId: admin.networkId,
      role: "attorney",
      attorneyId,
      name: `${attorney.firstName} ${attorney.lastName}`,
      email: attorney.email,
    }));
  const link = await makeSignInLink(
    tx,
    { networkId: admin.networkId, userId },
    "invitation",
    publicUrl,
  );
  await audit(tx, admin, { action: "invited", recordType: "attorney", recordId: attorneyId });
  return link;
}
