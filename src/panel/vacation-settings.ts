import { sql } from "kysely";
import type { Admin, AttorneyActor, ChangeAuthor } from "#kit/domain/actor.ts";
import { notFound, Refusal } from "#kit/contract/refusal.ts";
import { audit } from "#kit/db/audit.ts";
import { notifyOnCommit } from "#kit/db/changes.ts";
import type { Db } from "#kit/db/database.ts";
import type { VacationSettings } from "./contract.ts";

/** Whether the network's lawyers may set their own vacation. */
export async function readVacationSettings(
  tx: Db,
  { networkId }: Pick<ChangeAuthor, "networkId">,
): Promise<VacationSettings> {
  return await tx
    .selectFrom("networks")
    .select("lawyersSetOwnVacation")
    .where("id", "=", networkId)
    .executeTakeFirstOrThrow();
}

/** Allow or stop lawyers setting their own vacation. Current vacations stay. */
export async function writeVacationSettings(
  tx: Db,
  admin: Admin,
  lawyersSetOwnVacation: boolean,
): Promise<VacationSettings> {
  // Locked so that a concurrent change reads this one's value as its `before`.
  await sql`select 1 from networks where id = ${admin.networkId} for no key update`.execute(tx);
  const before = await readVacationSettings(tx, admin);
  const after = { lawyersSetOwnVacation };
  if (before.lawyersSetOwnVacation === lawyersSetOwnVacation) return after;
  await tx.updateTable("networks").set(after).where("id", "=", admin.networkId).execute();
  await audit(tx, admin, {
    action: "changed vacation settings",
    recordType: "network",
    recordId: admin.networkId,
    before,
    after,
  });
  notifyOnCommit(tx, admin.networkId, null); // lawyers' dashboards show or hide the picker
  return after;
}

/** Throws 404 for another attorney's vacation, 403 if only administrators set vacations. */
export async function refuseUnlessOwnVacation(
  tx: Db,
  lawyer: AttorneyActor,
  attorneyId: number,
): Promise<void> {
  if (attorneyId !== lawyer.attorneyId) throw notFound("attorney");
  const { lawyersSetOwnVacation } = await readVacationSettings(tx, lawyer);
  if (!lawyersSetOwnVacation)
    throw new Refusal(403, "Only your referral service can set your vacation. Ask them to set it.");
}
