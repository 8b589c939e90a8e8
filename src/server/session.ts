import { createHmac, timingSafeEqual } from "node:crypto";
import { sql } from "kysely";
import type { Actor } from "#server/actor.ts";
import type { Db } from "#server/database.ts";
import { kept } from "#server/kept-statements.ts";

/** The auth library's session cookie; Secure and prefixed so over TLS. */
export function sessionCookieName(isSecure: boolean): string {
  return `${isSecure ? "__Secure-" : ""}referral-network.session_token`;
}

/**
 * The session token in a cookie's value, or null when the signature is not ours. The library signs
 * `token.signature` with HMAC-SHA-256; checking it here saves a round trip for forged cookies.
 */
export function tokenOfCookie(value: string | undefined, secret: string): string | null {
  const split = value?.lastIndexOf(".") ?? -1;
  if (!value || split <= 0) return null;
  const token = value.slice(0, split);
  const given = Buffer.from(value.slice(split + 1), "base64");
  const expected = createHmac("sha256", secret).update(token).digest();
  return given.length === expected.length && timingSafeEqual(given, expected) ? token : null;
}

/** Who is signed in with a session token: one statement, always the database's present state. */
export async function actorOfToken(
  db: Db,
  token: string,
): Promise<(Actor & { sessionExpiresAt: string }) | null> {
  const { rows } = await sql<Actor & { sessionExpiresAt: string }>`${kept}
    select s.id as session_id, s.expires_at as session_expires_at, u.id as user_id, u.name, u.email,
      u.role, u.attorney_id, u.network_id, n.name as network_name, n.time_zone,
      n.permits_matter_editing
    from sessions s
    join users u on u.id = s.user_id
    join networks n on n.id = u.network_id
    where s.token = ${token} and s.expires_at > now()`.execute(db);
  return rows[0] ?? null; // the users table checks that role and attorney fit
}

/** Which of these sessions have neither ended nor expired. */
export async function sessionsStillOpen(db: Db, sessionIds: number[]): Promise<Set<number>> {
  const { rows } = await sql<{ id: number }>`
    select id from sessions where id = any(${sessionIds}::bigint[]) and expires_at > now()`.execute(
    db,
  );
  return new Set(rows.map((row) => row.id));
}
