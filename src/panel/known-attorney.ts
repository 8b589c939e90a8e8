import { sql } from "kysely";
import type { Actor, Admin } from "#kit/domain/actor.ts";
import type { Db } from "#kit/db/database.ts";
import { notFound } from "#kit/contract/refusal.ts";

/** Throws 404 unless the attorney is the actor or, for an administrator, in the network. */
export async function refuseUnknownAttorney(
  tx: Db,
  actor: Actor,
  attorneyId: number,
): Promise<void> {
  const known = await tx
    .selectFrom("attorneys")
    .select("id")
    .where("networkId", "=", actor.networkId)
    .where("id", "=", attorneyId)
    .executeTakeFirst();
  if (!known || (actor.role === "attorney" && actor.attorneyId !== attorneyId))
    throw notFound("attorney");
}

/** Throws 404 unless all are attorneys of the network. Answers the distinct ids in order. */
export async function refuseUnknownAttorneys(
  tx: Db,
  { networkId }: Admin,
  ids: number[],
): Promise<number[]> {
  const wanted = [...new Set(ids)];
  const { rows } = await sql<{ id: number }>`
    select id from attorneys where network_id = ${networkId} and id = any(${wanted}::bigint[])
    order by id`.execute(tx);
  if (rows.length < wanted.length) throw notFound("attorney");
  return rows.map(({ id }) => id);
}
