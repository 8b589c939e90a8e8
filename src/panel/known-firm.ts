import type { Admin } from "#kit/domain/actor.ts";
import type { Db } from "#kit/db/database.ts";
import { notFound } from "#kit/contract/refusal.ts";

/** Throws 404 unless the firm is in the network. */
export async function refuseUnknownFirm(tx: Db, admin: Admin, firmId: number): Promise<void> {
  const known = await tx
    .selectFrom("firms")
    .select("id")
    .where("networkId", "=", admin.networkId)
    .where("id", "=", firmId)
    .executeTakeFirst();
  if (!known) throw notFound("firm");
}
