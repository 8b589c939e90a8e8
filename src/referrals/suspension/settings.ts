import { sql } from "kysely";
import type { PlainDate } from "#kit/domain/calendar.ts";
import type { Admin } from "#kit/domain/actor.ts";
import { audit } from "#kit/db/audit.ts";
import { notifyOnCommit } from "#kit/db/changes.ts";
import type { Db } from "#kit/db/database.ts";
import { changedFields } from "#kit/db/changed-fields.ts";
import { prepared } from "#kit/db/prepared-statements.ts";
import { reviewNetwork } from "#referrals/suspension/suspension.ts";
import type { Settings, SettingsChange } from "#referrals/suspension/contract.ts";

/** The network's rules for overdue status reports. */
export async function readSettings(tx: Db, admin: Admin): Promise<Settings> {
  const { rows } = await sql<Settings>`${prepared}
    select suspends_overdue_attorneys, overdue_periods_suspension_threshold, overdue_period_in_days
    from networks where id = ${admin.networkId}`.execute(tx);
  if (!rows[0]) throw new Error("The administrator's network does not exist.");
  return rows[0];
}

/** Change one of the two rules and update suspensions in the same transaction. Source: domain rules §6. */
export async function writeSettings(
  tx: Db,
  admin: Admin,
  wanted: SettingsChange,
  today: PlainDate,
): Promise<Settings> {
  // Locked, so that of two concurrent changes the later audit entry starts from the earlier one's values.
  await sql`select 1 from networks where id = ${admin.networkId} for no key update`.execute(tx);
  const before = await readSettings(tx, admin);
  const after: Settings = {
    ...before,
    ...(wanted.suspends_overdue_attorneys !== undefined && {
      suspendsOverdueAttorneys: wanted.suspends_overdue_attorneys,
    }),
    ...(wanted.overdue_periods_suspension_threshold !== undefined && {
      overduePeriodsSuspensionThreshold: wanted.overdue_periods_suspension_threshold,
    }),
  };
  await tx.updateTable("networks").set(after).where("id", "=", admin.networkId).execute();
  const reviewed = await reviewNetwork(tx, admin, today);
  const changed = changedFields(before, after);
  await audit(tx, admin, {
    action: "changed suspension rules",
    recordType: "network",
    recordId: admin.networkId,
    before: changed.before,
    after: { ...changed.after, ...reviewed },
  });
  notifyOnCommit(tx, admin.networkId, null); // warnings depend on the rules
  return after;
}
