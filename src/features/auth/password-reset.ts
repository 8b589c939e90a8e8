import { randomBytes } from "node:crypto";
import { sql } from "kysely";
import type { Db } from "#server/database.ts";
import { hashOfCode } from "#features/auth/sign-in-links.ts";

/**
 * Mail a link to choose a new password to whoever has this email address, at most every five
 * minutes. One statement, whether there is such an account or not, so that neither the answer nor
 * its time tells who has one.
 */
export async function requestPasswordReset(
  tx: Db,
  email: string,
  publicUrl: string,
): Promise<{ requested: true }> {
  const code = randomBytes(32).toString("base64url");
  const link = `${publicUrl}/sign-in/link#${code}`;
  await sql`
    with known as (
      select u.id, u.network_id, u.name, u.email from users u
      where u.email = ${email} and not exists (
        select from sign_in_links l
        where l.network_id = u.network_id and l.user_id = u.id and l.purpose = 'password_reset'
          and l.created_at > now() - interval '5 minutes')
    ), ended as (
      update sign_in_links l set used_at = now() from known
      where l.network_id = known.network_id and l.user_id = known.id and l.used_at is null
    ), made as (
      insert into sign_in_links (network_id, user_id, purpose, code_hash, expires_at)
      select network_id, id, 'password_reset', ${hashOfCode(code)}, now() + interval '2 hours' from known
      returning network_id, user_id, id
    ), noted as (
      insert into audit_entries (network_id, actor_user_id, actor_name, action, record_type, record_id)
      select network_id, id, name, 'asked for a new password', 'user', id from known
    )
    insert into mails (network_id, occasion, recipient, subject, body)
    select known.network_id, 'password reset:' || made.id, known.email, 'Choose a new password',
      'Dear ' || known.name || E',\n\nsomeone, most likely you, asked for a new password. Choose it here within two hours:\n\n'
        || ${link} || E'\n\nIf it was not you, ignore this mail: nothing has changed.'
    from known join made on made.user_id = known.id`.execute(tx);
  return { requested: true };
}
