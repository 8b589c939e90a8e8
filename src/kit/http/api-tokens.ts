import { createHash, randomBytes } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { crc32 } from "node:zlib";
import { sql } from "kysely";
import type { Program } from "#kit/domain/actor.ts";
import { batchLookups } from "#kit/db/batch-lookups.ts";
import type { Db } from "#kit/db/database.ts";
import { prepared } from "#kit/db/prepared-statements.ts";

/*
 * A token is `rn_`, 43 letters and digits of a 256-bit secret, and their CRC-32 in 6. Programs that search source
 * code for secrets recognise it, and mistyped tokens are refused without asking the database.
 */

const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const form = /^rn_([0-9A-Za-z]{43})([0-9A-Za-z]{6})$/;

export function newApiToken(): string {
  const secret = base62(BigInt(`0x${randomBytes(32).toString("hex")}`), 43);
  return `rn_${secret}${checksum(secret)}`;
}

/** The hash stored for a token; null for text that is not a token. */
export function hashOfApiToken(token: string): string | null {
  const [, secret = "", sum] = form.exec(token) ?? [];
  return sum === checksum(secret) ? createHash("sha256").update(token).digest("hex") : null;
}

const checksum = (secret: string) => base62(BigInt(crc32(secret)), 6);

function base62(number: bigint, length: number): string {
  let text = "";
  for (let rest = number; text.length < length; rest /= 62n)
    text = `${digits[Number(rest % 62n)]}${text}`;
  return text;
}

/** The text after "Bearer" in a request's Authorization header; null if there is none. */
export function bearerOf({ headers }: { headers: IncomingHttpHeaders }): string | null {
  const [, token = null] = /^Bearer(?![^ ])(.*)$/i.exec(headers.authorization ?? "") ?? [];
  return token?.trim() ?? null;
}

/** The program of a token's hash, read from the database every time; null if revoked or expired. */
export const programOfHash = batchLookups(programsOfHashes);

export type FoundProgram = Program & { lastUsedAt: string | null };

// Outside the statement's text, where the build cannot escape them (vite.server.config.ts).
const [opening, closing] = [sql.lit("Token “"), sql.lit("”")];

async function programsOfHashes(db: Db, hashes: string[]): Promise<Map<string, FoundProgram>> {
  const { rows } = await sql<FoundProgram & { hash: string }>`${prepared}
    select t.hash, t.id as token_id, ${opening} || t.name || ${closing} as name, t.scope = 'write' as may_write,
      t.last_used_at, null as user_id, 'admin' as role, null as attorney_id, t.network_id,
      n.name as network_name, n.time_zone, n.permits_matter_editing
    from api_tokens t
    join networks n on n.id = t.network_id
    where t.hash = any(${hashes}::text[]) and t.revoked_at is null
      and (t.expires_at is null or t.expires_at > now())`.execute(db);
  return new Map(rows.map(({ hash, ...program }) => [hash, program]));
}

const usesBeingNoted = new WeakMap<Db, Set<number>>();

/** Note that a token is used, at most once a minute. No request waits for this or fails because of it. */
export function noteUse(db: Db, program: FoundProgram, log: (problem: unknown) => void): void {
  const noting = usesBeingNoted.get(db) ?? new Set();
  usesBeingNoted.set(db, noting);
  const { networkId, tokenId, lastUsedAt } = program;
  const isNoted = lastUsedAt !== null && Date.now() - Date.parse(lastUsedAt) < 60_000;
  if (isNoted || noting.has(tokenId)) return;
  noting.add(tokenId);
  const written = sql`
    update api_tokens set last_used_at = now()
    where network_id = ${networkId} and id = ${tokenId}
      and (last_used_at is null or last_used_at < now() - interval '1 minute')`.execute(db);
  void written.catch(log).finally(() => noting.delete(tokenId));
}
