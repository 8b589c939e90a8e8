import { createHmac, timingSafeEqual } from "node:crypto";
import { sql } from "kysely";
import type { Person } from "#kit/domain/actor.ts";
import { batchLookups } from "#kit/db/batch-lookups.ts";
import type { Db } from "#kit/db/database.ts";
import { prepared } from "#kit/db/prepared-statements.ts";
import { cookieName } from "#kit/http/cookie-names.ts";

/** The name of the auth library's session cookie. */
export const sessionCookieName = (isSecure: boolean): string =>
  cookieName("session_token", isSecure);

/**
 * The session token in a cookie's value, or null if the signature is not ours. The library signs `token.signature`
 * with HMAC-SHA-256. Checking it here saves a round trip for forged cookies.
 */
export function tokenOfCookie(value: string | undefined, secret: string): string | null {
  const split = value?.lastIndexOf(".") ?? -1;
  if (!value || split <= 0) return null;
  const token = value.slice(0, split);
  const given = Buffer.from(value.slice(split + 1), "base64");
  const expected = createHmac("sha256", secret).update(token).digest();
  return given.length === expected.length && timingSafeEqual(given, expected) ? token : null;
}

/** A session ends this long after sign-in, even if it is used. */
export const maxSessionDays = 30;

/**
 * Whether a session `s` of the user `u` is open: not too old, and not idle for longer than its role allows. What
 * counts as use: docs/decisions/071. Uses only the database's clock.
 */
export const isOpen = sql<boolean>`(s.expires_at > now() and s.last_seen_at > now() -
  case u.role when 'admin' then interval '12 hours' else interval '14 days' end)`;

/** How often a session's last use is written at most, so that requests do not write. */
const seenMinutes = 5;

/** How long administrators have to set up a second factor if their network requires one. */
const graceDays = 7;

/** How long after signing in or confirming their identity users are not asked to confirm it again. */
const confirmedMinutes = 10;

type SignedIn = Person & {
  sessionExpiresAt: string;
  /** The last use was written minutes ago, so this request writes it again. */
  isLastSeenStale: boolean;
};

/** The signed-in user of a session token, read from the database every time. */
export const actorOfToken = batchLookups(actorsOfTokens);

async function actorsOfTokens(db: Db, tokens: string[]): Promise<Map<string, SignedIn>> {
  const { rows } = await sql<SignedIn & { token: string }>`${prepared}
    select s.token, s.id as session_id, s.expires_at as session_expires_at, u.id as user_id, u.name,
      u.email, u.role, u.attorney_id, u.network_id, n.name as network_name, n.time_zone,
      n.permits_matter_editing,
      s.confirmed_at > now() - make_interval(mins => ${confirmedMinutes}) as is_confirmed,
      s.last_seen_at < now() - make_interval(mins => ${seenMinutes}) as is_last_seen_stale,
      second_factor.due_at as second_factor_due_at,
      coalesce(second_factor.due_at <= now(), false) as lacks_second_factor
    from sessions s
    join users u on u.id = s.user_id
    join networks n on n.id = u.network_id
    cross join lateral (
      select case when u.role = 'admin' and not u.two_factor_enabled and n.second_factor_required_since is not null
        then greatest(n.second_factor_required_since, u.created_at) + make_interval(days => ${graceDays}) end as due_at
    ) as second_factor
    where s.token = any(${tokens}::text[]) and ${isOpen}`.execute(db);
  return new Map(rows.map(({ token, ...actor }) => [token, actor])); // the users table checks that role and attorney match
}

/** The most sessions that one account may have at the same time. */
const maxSessions = 100;

/** End an account's oldest sessions if it has too many. */
export async function endOldestSessions(db: Db, userId: number): Promise<void> {
  await sql`
    delete from sessions s using users u
    where u.id = ${userId} and s.network_id = u.network_id and s.user_id = u.id
      and s.id <= (
        select o.id from sessions o where o.network_id = u.network_id and o.user_id = u.id
        order by o.id desc offset ${maxSessions} limit 1)`.execute(db);
}

/** Which of these sessions are still open and belong to this database. */
export async function sessionsStillOpen(db: Db, sessionIds: number[]): Promise<Set<number>> {
  const { rows } = await sql<{ id: number }>`
    select s.id from sessions s join users u on u.id = s.user_id
    where s.id = any(${sessionIds}::bigint[]) and ${isOpen}`.execute(db);
  return new Set(rows.map((row) => row.id));
}

/**
 * Write that these sessions were used. Sessions locked by another process are skipped: their next request writes
 * it.
 */
export async function writeSeen(db: Db, sessionIds: number[]): Promise<void> {
  await sql`
    update sessions set last_seen_at = now() where id in (
      select id from sessions where id = any(${sessionIds}::bigint[])
        and last_seen_at < now() - make_interval(mins => ${seenMinutes})
      for no key update skip locked)`.execute(db);
}
