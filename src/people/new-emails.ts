import { sql } from "kysely";
import type { Admin } from "#kit/domain/actor.ts";
import { notFound, Refusal } from "#kit/contract/refusal.ts";
import type { Db } from "#kit/db/database.ts";
import { isInUse } from "#access/sign-in/accounts.ts";
import { requestEmailChanges, endChange, lockChange } from "#access/sign-in/email-changes.ts";
import { refuseUnlessConfirmed } from "#kit/http/serve.ts";

/* Who may change an attorney's email address, and when it must be confirmed first (docs/decisions/086). */

/** 409 for a value that must be unique on the panel. */
export const taken = (field: string, what: string): Refusal =>
  new Refusal(409, `Another attorney on the panel already has this ${what}.`, {
    errors: [{ path: field, message: `Another attorney on the panel already has this ${what}.` }],
  });

export const emailTaken = (): Refusal => taken("email", "email address");

export interface AttorneysAccount {
  userId: number;
  /** The attorney has chosen a password. */
  isInUse: boolean;
}

/** Lock an attorney's account, if any, so that it is not first used until the transaction ends. */
export async function lockAccountOf(
  tx: Db,
  { networkId }: Admin,
  attorneyId: number,
): Promise<AttorneysAccount | null> {
  const account = await tx
    .selectFrom("users as u")
    .select(["u.id as userId", isInUse.as("isInUse")])
    .where("u.networkId", "=", networkId)
    .where("u.attorneyId", "=", attorneyId)
    .forNoKeyUpdate()
    .executeTakeFirst();
  return account ?? null;
}

/**
 * Throws 403 if a token changes the address of an account, since it could have links sent to itself, or if the account is
 * in use and the administrator has not confirmed recently who they are.
 */
export function refuseNewEmail(admin: Admin, account: Pick<AttorneysAccount, "isInUse">): void {
  if (admin.userId === null)
    throw new Refusal(
      403,
      "A token cannot change the email address of an attorney who has an account. Sign in as an administrator to do it.",
    );
  if (account.isInUse) refuseUnlessConfirmed(admin);
}

/**
 * Request a new address for an account in use, whose attorney is locked. Repeating a waiting request does not restart its
 * days. Throws 409 if somebody else has the address.
 */
export async function askForEmail(
  tx: Db,
  admin: Admin,
  { userId, email, publicUrl }: { userId: number; email: string; publicUrl: string },
): Promise<void> {
  const { networkId } = admin;
  const { rows } = await sql<{ isAsked: boolean; isTaken: boolean }>`
    select exists (
        select from email_changes c
        where c.network_id = ${networkId} and c.user_id = ${userId} and c.ended_at is null and c.new_email = ${email}
      ) as is_asked,
      exists (select from attorneys a where a.network_id = ${networkId} and a.email = ${email})
        or exists (select from users other where other.email = ${email}) as is_taken`.execute(tx);
  if (rows[0]?.isAsked) return;
  if (rows[0]?.isTaken) throw emailTaken();
  await requestEmailChanges(tx, admin, [{ userId, newEmail: email }], publicUrl);
}

/** Cancel a new address that is not confirmed yet. Throws 404, or 409 if there is none. */
export async function callOffEmail(tx: Db, admin: Admin, attorneyId: number): Promise<void> {
  const { networkId } = admin;
  const attorney = await tx
    .selectFrom("attorneys as a")
    .leftJoin("users as u", (on) =>
      on.onRef("u.networkId", "=", "a.networkId").onRef("u.attorneyId", "=", "a.id"),
    )
    .leftJoin("emailChanges as c", (on) =>
      on
        .onRef("c.networkId", "=", "u.networkId")
        .onRef("c.userId", "=", "u.id")
        .on("c.endedAt", "is", null),
    )
    .select(["c.id as changeId"])
    .where("a.networkId", "=", networkId)
    .where("a.id", "=", attorneyId)
    .executeTakeFirst();
  if (!attorney) throw notFound("attorney");
  const change =
    attorney.changeId === null
      ? undefined
      : await lockChange(tx, { networkId, id: attorney.changeId });
  if (!change)
    throw new Refusal(
      409,
      "No new email address is waiting to be confirmed. The change has already taken effect or ended.",
    );
  await endChange(tx, admin, change, "called off");
}
