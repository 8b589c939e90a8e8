import { createHash, randomBytes } from "node:crypto";
import { sql } from "kysely";
import type { ChangeAuthor } from "#kit/domain/actor.ts";
import type { Db } from "#kit/db/database.ts";
import { Refusal } from "#kit/contract/refusal.ts";
import { isInUse, setPassword } from "#access/sign-in/accounts.ts";
import { forgetFailures } from "#access/sign-in/sign-in-failures.ts";
import { lockSignIn } from "#access/sign-in/account-holders.ts";
import {
  mailSignInNotice,
  type RequestSource,
  traceSignIn,
} from "#access/sign-in/sign-in-traces.ts";

type Purpose = "invitation" | "password_reset";

export const validHours: Record<Purpose, number> = { invitation: 7 * 24, password_reset: 2 };

const purposeWords: Record<Purpose, string> = {
  invitation: "invitation",
  password_reset: "new password",
};

/** Who makes a link, and from where; `from` is null at the operator's command line. */
export interface LinkMaking {
  publicUrl: string;
  by: ChangeAuthor;
  from: RequestSource | null;
}

export interface SignInLink {
  url: string;
  expiresAt: string;
}

/** Whether an account `u` is open. The account of an attorney who has left the panel is closed. */
export const isAccountOpen = sql<boolean>`not exists (
  select from attorneys a where a.network_id = u.network_id and a.id = u.attorney_id and a.left_on is not null)`;

/** Only the hash of a link's code is stored. */
export const hashOfCode = (code: string): string => createHash("sha256").update(code).digest("hex");

/** The code of a new link. */
export const newLinkCode = (): string => randomBytes(32).toString("base64url");

/** The code is in the fragment, which browsers do not send to servers. */
export const linkWith = (code: string, publicUrl: string): string =>
  `${publicUrl}/sign-in/link#${code}`;

/** Make one single-use link to choose a password, as `makeSignInLinks`. */
export async function makeSignInLink(
  tx: Db,
  { networkId, userId }: { networkId: number; userId: number },
  purpose: Purpose,
  made: LinkMaking,
): Promise<SignInLink> {
  const links = await makeSignInLinks(tx, { networkId, userIds: [userId] }, purpose, made);
  return links[0] as SignInLink; // one for each account
}

/**
 * Make a link for each account, in order. Earlier links of an unused account stop working. Earlier links of an account
 * in use keep working until one of them is used.
 */
export async function makeSignInLinks(
  tx: Db,
  { networkId, userIds }: { networkId: number; userIds: number[] },
  purpose: Purpose,
  { publicUrl, by, from }: LinkMaking,
): Promise<SignInLink[]> {
  const codes = userIds.map(newLinkCode);
  await sql`
    delete from sign_in_links where network_id = ${networkId} and user_id = any(${userIds}::bigint[])
      and expires_at < now() - interval '1 day'`.execute(tx);
  await sql`
    update sign_in_links l set used_at = now() from users u
    where l.network_id = ${networkId} and l.user_id = any(${userIds}::bigint[]) and l.used_at is null
      and u.network_id = l.network_id and u.id = l.user_id and not ${isInUse}`.execute(tx);
  const { rows } = await sql<{ expiresAt: string }>`
    insert into sign_in_links (network_id, user_id, purpose, code_hash, expires_at)
    select ${networkId}, made.user_id, ${purpose}, made.code_hash,
      now() + make_interval(hours => ${validHours[purpose]})
    from unnest(${userIds}::bigint[], ${codes.map(hashOfCode)}::text[]) as made (user_id, code_hash)
    returning expires_at`.execute(tx);
  await sql`
    insert into audit_entries (network_id, actor_user_id, actor_name, action, record_type, record_id, after)
    select ${networkId}, ${by.userId}, ${by.name}, 'made a sign-in link', 'sign-in', user_id,
      ${JSON.stringify({ ...from, purpose: purposeWords[purpose] })}::jsonb
    from unnest(${userIds}::bigint[]) as user_id`.execute(tx);
  const expiresAt = rows[0]?.expiresAt ?? "";
  return codes.map((code) => ({ url: linkWith(code, publicUrl), expiresAt }));
}

const linkNotUsable = () =>
  new Refusal(
    404,
    "This link has been used or has expired. Ask your referral service for a new one.",
  );

/** The person whom a link is for. Throws 404 if it was used, has expired or never existed. */
export async function inspectSignInLink(tx: Db, code: string) {
  const found = await usableLinks(tx, code)
    .innerJoin("users", "users.id", "signInLinks.userId")
    .innerJoin("networks", "networks.id", "users.networkId")
    .select(["users.name", "users.email", "networks.name as networkName"])
    .executeTakeFirst();
  if (!found) throw linkNotUsable();
  return found;
}

/** Use a link: set the password, end all sessions and delete failed sign-ins of the account. Throws 404 as above. */
export async function acceptSignInLink(
  tx: Db,
  wanted: { token: string; password: string },
  from: RequestSource,
): Promise<{ email: string; hasSecondFactor: boolean }> {
  const owner = await usableLinks(tx, wanted.token).select("userId").executeTakeFirst();
  if (owner) await lockSignIn(tx, owner.userId);
  const link = await usableLinks(tx, wanted.token)
    .innerJoin("users", "users.id", "signInLinks.userId")
    .select([
      "signInLinks.id",
      "users.networkId",
      "users.id as userId",
      "users.name",
      "users.email",
      "users.twoFactorEnabled as hasSecondFactor",
    ])
    .forUpdate("signInLinks")
    .executeTakeFirst();
  if (!link) throw linkNotUsable();
  await tx
    .updateTable("signInLinks")
    .set({ usedAt: sql<string>`now()` })
    .where("networkId", "=", link.networkId)
    .where("id", "=", link.id)
    .execute();
  if ((await setPassword(tx, link, wanted.password)) === "changed")
    await mailSignInNotice(tx, link, "password changed", from);
  await forgetFailures(tx, link.email);
  await traceSignIn(tx, link, "chose a password by a link", from);
  return { email: link.email, hasSecondFactor: link.hasSecondFactor };
}

function usableLinks(tx: Db, code: string) {
  return tx
    .selectFrom("signInLinks")
    .where("codeHash", "=", hashOfCode(code))
    .where("usedAt", "is", null)
    .where("signInLinks.expiresAt", ">", sql<string>`now()`)
    .where((account) =>
      account.exists(
        account
          .selectFrom("users as u")
          .whereRef("u.id", "=", "signInLinks.userId")
          .where(isAccountOpen),
      ),
    );
}
