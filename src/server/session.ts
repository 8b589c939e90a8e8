import { createHmac, timingSafeEqual } from "node:crypto";
import { sql } from "kysely";
import type { Actor } from "#server/actor.ts";
import type { Db } from "#server/database.ts";

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
  const row = await db
    .selectFrom("sessions")
    .innerJoin("users", "users.id", "sessions.userId")
    .innerJoin("networks", "networks.id", "users.networkId")
    .where("sessions.token", "=", token)
    .where("sessions.expiresAt", ">", sql<string>`now()`)
    .select([
      "sessions.id as sessionId",
      "sessions.expiresAt as sessionExpiresAt",
      "users.id as userId",
      "users.name",
      "users.email",
      "users.role",
      "users.attorneyId",
      "users.networkId",
      "networks.name as networkName",
      "networks.timeZone",
      "networks.permitsMatterEditing",
    ])
    .executeTakeFirst();
  return (row as (Actor & { sessionExpiresAt: string }) | undefined) ?? null; // the users table checks that role and attorney fit
}

/** Which of these sessions have neither ended nor expired. */
export async function sessionsStillOpen(db: Db, sessionIds: number[]): Promise<Set<number>> {
  const { rows } = await sql<{ id: number }>`
    select id from sessions where id = any(${sessionIds}::bigint[]) and expires_at > now()`.execute(
    db,
  );
  return new Set(rows.map((row) => row.id));
}
