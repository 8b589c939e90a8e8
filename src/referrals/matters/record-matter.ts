import type { PlainDate } from "#kit/domain/calendar.ts";
import type { Admin } from "#kit/domain/actor.ts";
import { audit } from "#kit/db/audit.ts";
import { notifyOnCommit } from "#kit/db/changes.ts";
import type { Db } from "#kit/db/database.ts";
import type { Matter, NewMatter } from "#referrals/matters/contract.ts";
import { columnsOf, findMatter } from "#referrals/matters/matters.ts";
import { referTo } from "#referrals/matters/referrals.ts";

/**
 * Record a referral. If an attorney is given, refer it: the first report is due one overdue period later. Throws 404
 * for an unknown attorney, 409 for one who may not receive referrals. Source: domain rules §6.
 */
export async function recordMatter(
  tx: Db,
  admin: Admin,
  wanted: NewMatter,
  today: PlainDate,
): Promise<Matter> {
  const { attorney_id: attorneyId, contact_preference, followup_consent, note } = wanted;
  const columns = {
    ...columnsOf(wanted),
    contactPreference: contact_preference,
    followupConsent: followup_consent,
    note,
  };
  const { id } = await tx
    .insertInto("matters")
    .values({ networkId: admin.networkId, ...columns })
    .returning("id")
    .executeTakeFirstOrThrow();
  await audit(tx, admin, {
    action: "recorded",
    recordType: "matter",
    recordId: id,
    after: columns,
  });
  if (attorneyId) await referTo(tx, admin, { matterId: id, attorneyId, today });
  else notifyOnCommit(tx, admin.networkId, null, "administration");
  return await findMatter(tx, admin, id);
}
