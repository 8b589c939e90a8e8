import type { Actor } from "#domain/actor.ts";
import type { Db } from "#db/database.ts";
import { notFound } from "#contract/refusal.ts";

/** Throws 404 unless the attorney is the actor itself or, for an administrator, on the panel. */
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
