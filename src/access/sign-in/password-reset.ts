import { setTimeout } from "node:timers/promises";
import { sql } from "kysely";
import type { Db } from "#kit/db/database.ts";
import { inTransaction } from "#kit/db/transaction.ts";
import { isInUse } from "#access/sign-in/accounts.ts";
import type { RequestSource } from "#access/sign-in/sign-in-traces.ts";
import {
  hashOfCode,
  isAccountOpen,
  linkWith,
  newLinkCode,
  validHours,
} from "#access/sign-in/sign-in-links.ts";
import { passwordReset } from "#outgoing/mail/texts/sign-in.ts";

/** Longer than making a link takes, so that the time does not reveal whether there is an account. */
const answerAfterMs = 300;

/** Replaces the code of a link in an unsent email. Apart from the statement, as in src/kit/http/api-tokens.ts. */
const shortened = sql.lit("\\1…");

/**
 * Email a link to choose a new password to the account with this address, at most once in five minutes. An unused
 * account needs its invitation instead. Neither the answer nor its time reveals whether there is an account. Earlier
 * links keep working, because anyone can request one in another's name.
 */
export async function requestPasswordReset(
  db: Db,
  email: string,
  publicUrl: string,
  from: RequestSource,
): Promise<{ requested: true }> {
  await Promise.all([
    inTransaction(db, (tx) => mailResetLink(tx, email, publicUrl, from)),
    setTimeout(answerAfterMs),
  ]);
  return { requested: true };
}

async function mailResetLink(
  tx: Db,
  email: string,
  publicUrl: string,
  from: RequestSource,
): Promise<void> {
  // Requests for one account take turns, so that a parallel one finds the first one's link.
  const { rows } = await sql<{ name: string }>`
    select name from users where email = ${email} for no key update`.execute(tx);
  const code = newLinkCode();
  const link = linkWith(code, publicUrl);
  // Without an account the name is empty; the statement does the same work and emails nobody.
  const { subject, body } = passwordReset({ name: rows[0]?.name ?? "", link });
  await sql`
    with known as (
      select u.id, u.network_id, u.name, u.email from users u
      where u.email = ${email} and ${isInUse} and ${isAccountOpen} and not exists (
        select from sign_in_links l
        where l.network_id = u.network_id and l.user_id = u.id and l.purpose = 'password_reset'
          and l.created_at > now() - interval '5 minutes')
    ), withdrawn as (
      update mails m set status = 'withdrawn', last_problem = 'A newer link was requested before this was sent.',
        body = regexp_replace(m.body, '(/sign-in/link#)[[:alnum:]_-]+', ${shortened}, 'g')
      from known
      where m.network_id = known.network_id and m.user_id = known.id and m.status = 'queued'
        and m.occasion like 'password reset:%'
    ), forgotten as (
      delete from sign_in_links l using known
      where l.network_id = known.network_id and l.user_id = known.id
        and l.expires_at < now() - interval '1 day'
    ), made as (
      insert into sign_in_links (network_id, user_id, purpose, code_hash, expires_at)
      select network_id, id, 'password_reset', ${hashOfCode(code)},
        now() + make_interval(hours => ${validHours.password_reset})
      from known
      returning network_id, user_id, id
    ), noted as (
      insert into audit_entries (network_id, actor_user_id, actor_name, action, record_type, record_id, after)
      select network_id, id, name, 'asked for a new password', 'sign-in', id, ${JSON.stringify(from)}::jsonb from known
    )
    insert into mails (network_id, user_id, occasion, recipient, subject, body)
    select known.network_id, known.id, 'password reset:' || made.id, known.email, ${subject}::text, ${body}::text
    from known join made on made.user_id = known.id`.execute(tx);
}
