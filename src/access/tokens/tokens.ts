import { sql } from "kysely";
import { invalid, notFound, Refusal, refuseViolations } from "#kit/contract/refusal.ts";
import type { Page, PageQuery } from "#kit/contract/page.ts";
import type { Admin, AdminPerson } from "#kit/domain/actor.ts";
import type { PlainDate } from "#kit/domain/calendar.ts";
import { audit } from "#kit/db/audit.ts";
import { notifyOnCommit } from "#kit/db/changes.ts";
import type { Db } from "#kit/db/database.ts";
import { hashOfApiToken, newApiToken } from "#kit/http/api-tokens.ts";
import type { ApiToken, NewApiToken } from "#access/tokens/contract.ts";

/** The network's API tokens, without the tokens themselves, which are not stored. */
export async function listTokens(
  db: Db,
  admin: Admin,
  { page, per_page }: PageQuery,
): Promise<Page<ApiToken>> {
  const { total } = await db
    .selectFrom("apiTokens")
    .select(({ fn }) => fn.countAll<number>().as("total"))
    .where("networkId", "=", admin.networkId)
    .executeTakeFirstOrThrow();
  const items = await tokensOf(db, admin)
    .orderBy(sql`revoked_at is not null`)
    .orderBy("id", "desc")
    .limit(per_page)
    .offset((page - 1) * per_page)
    .execute();
  return { items, total, page, perPage: per_page };
}

const tokensOf = (db: Db, { networkId }: Admin) =>
  db
    .selectFrom("apiTokens")
    .select(["id", "name", "scope", "lastFour", "createdBy", "madeBy as createdById"])
    .select(["createdAt", "expiresAt", "revokedAt", "lastUsedAt"])
    .select(
      sql<ApiToken["status"]>`case when revoked_at is not null then 'revoked'
        when expires_at <= now() then 'expired' else 'active' end`.as("status"),
    )
    .where("networkId", "=", networkId);

/** Unrevoked tokens per network. */
const maxTokens = 100;

/**
 * Make a token. Only this answer holds it; only its hash is stored. Throws 422 for a past day, 409 for a name in use
 * or too many tokens.
 */
export async function makeToken(
  tx: Db,
  admin: AdminPerson,
  { name, scope, expires_on: expiresOn }: NewApiToken,
  today: PlainDate,
): Promise<ApiToken & { token: string }> {
  if (expiresOn !== null && expiresOn < today.toString())
    throw invalid("expires_on", "Choose today or a later date, or leave it blank.");
  await refuseTooMany(tx, admin);
  const token = newApiToken();
  const { networkId } = admin;
  const inserted = sql<{ id: number }>`
    insert into api_tokens (network_id, name, scope, hash, last_four, created_by, made_by, expires_at)
    values (${networkId}, ${name}, ${scope}, ${hashOfApiToken(token)}, ${token.slice(-4)}, ${admin.name}, ${admin.userId},
      (${expiresOn}::date + 1)::timestamp at time zone ${admin.timeZone})
    returning id`.execute(tx);
  const { rows } = await refuseViolations(
    {
      api_tokens_name: () =>
        new Refusal(409, "A token already has this name. Choose another name."),
    },
    inserted,
  );
  const [{ id } = { id: 0 }] = rows;
  await audit(tx, admin, {
    action: "made",
    recordType: "API token",
    recordId: id,
    after: { name, scope: scopeWords[scope], lastDay: expiresOn },
  });
  notifyOnCommit(tx, networkId, null, "administration");
  return { ...(await tokenOf(tx, admin, id)), token };
}

const scopeWords = { read: "read", write: "read and write" };

/** Locks the network's row, so that parallel calls cannot exceed the limit. */
async function refuseTooMany(tx: Db, { networkId }: Admin): Promise<void> {
  await sql`select 1 from networks where id = ${networkId} for no key update`.execute(tx);
  const { made } = await tx
    .selectFrom("apiTokens")
    .select(({ fn }) => fn.countAll<number>().as("made"))
    .where("networkId", "=", networkId)
    .where("revokedAt", "is", null)
    .executeTakeFirstOrThrow();
  if (made >= maxTokens)
    throw new Refusal(
      409,
      `The network already has ${maxTokens} tokens. Revoke one that you do not need.`,
    );
}

/** Revoke a token; later requests with it are refused. Revoking it again changes nothing. Throws 404. */
export async function revokeToken(tx: Db, admin: AdminPerson, id: number): Promise<ApiToken> {
  const revoked = await tx
    .updateTable("apiTokens")
    .set({ revokedAt: sql<string>`now()` })
    .where("networkId", "=", admin.networkId)
    .where("id", "=", id)
    .where("revokedAt", "is", null)
    .returning(["name", "scope"])
    .executeTakeFirst();
  if (revoked) await noteOf(tx, admin, "revoked", { id, ...revoked });
  return await tokenOf(tx, admin, id);
}

/**
 * Revoke the tokens of an administrator who is being removed, except those in `keepIds`, which then have no maker. The
 * caller holds the lock on the network's row. Throws 404 for a `keepIds` entry that is not one of theirs.
 */
export async function revokeTokensOf(
  tx: Db,
  admin: AdminPerson,
  makerId: number,
  keepIds: number[],
): Promise<void> {
  const theirs = await tx
    .selectFrom("apiTokens")
    .select(["id", "name", "scope", "revokedAt"])
    .where("networkId", "=", admin.networkId)
    .where("madeBy", "=", makerId)
    .orderBy("id")
    .forUpdate()
    .execute();
  const theirIds = new Set(theirs.map(({ id }) => id));
  if (!keepIds.every((id) => theirIds.has(id))) throw notFound("API token");
  for (const token of theirs.filter(({ revokedAt }) => revokedAt === null)) {
    const isKept = keepIds.includes(token.id);
    await tx
      .updateTable("apiTokens")
      .set(isKept ? { madeBy: null } : { revokedAt: sql<string>`now()` })
      .where("networkId", "=", admin.networkId)
      .where("id", "=", token.id)
      .execute();
    await noteOf(tx, admin, isKept ? "kept" : "revoked", token);
  }
}

async function noteOf(
  tx: Db,
  admin: AdminPerson,
  action: "revoked" | "kept",
  { id, name, scope }: Pick<ApiToken, "id" | "name" | "scope">,
): Promise<void> {
  await audit(tx, admin, {
    action,
    recordType: "API token",
    recordId: id,
    before: { name, scope: scopeWords[scope] },
  });
  notifyOnCommit(tx, admin.networkId, null, "administration");
}

async function tokenOf(tx: Db, admin: Admin, id: number): Promise<ApiToken> {
  const token = await tokensOf(tx, admin).where("id", "=", id).executeTakeFirst();
  if (!token) throw notFound("API token");
  return token;
}
