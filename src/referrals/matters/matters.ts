import { sql } from "kysely";
import type { z } from "zod";
import { addressLines } from "#kit/domain/us-address.ts";
import type { PlainDate } from "#kit/domain/calendar.ts";
import type { Actor, Admin } from "#kit/domain/actor.ts";
import { audit } from "#kit/db/audit.ts";
import { notifyOnCommit } from "#kit/db/changes.ts";
import type { Db } from "#kit/db/database.ts";
import { changedFields, withoutUndefined } from "#kit/db/changed-fields.ts";
import { prepared } from "#kit/db/prepared-statements.ts";
import { invalid, notFound, Refusal } from "#kit/contract/refusal.ts";
import type { Matter, MatterChanges } from "#referrals/matters/contract.ts";
import type { listMatters } from "#referrals/matters/matters.list.ts";
import { matterRows } from "#referrals/matters/matters.rows.ts";
import { listPageOf } from "#kit/list/list-page.ts";

const preferenceSentences = {
  phone: "Prefers to be contacted by phone.",
  email: "Prefers to be contacted by email.",
  either: "May be contacted by phone or email.",
};

const consentSentences = {
  yes: "Agreed to be asked how the referral went.",
  no: "Did not agree to be asked how the referral went.",
};

/** One referral. Throws 404 if the actor may not see it. */
export async function findMatter(tx: Db, actor: Actor, matterId: number): Promise<Matter> {
  const row = await selectMatters(tx, actor.networkId)
    .modifyFront(prepared)
    .where("m.id", "=", matterId)
    .executeTakeFirst();
  if (!row || (actor.role === "attorney" && row.attorneyId !== actor.attorneyId))
    throw notFound("referral");
  return asMatter(row, actor);
}

/** One page of the list of referrals. Throws 404 for an unknown attorney. */
export const listAllMatters = (
  tx: Db,
  admin: Admin,
  wanted: z.output<typeof listMatters.query>,
  today: PlainDate,
) =>
  listPageOf(tx, matterRows, { admin, today }, wanted, async (ids) => {
    const rows = await selectMatters(tx, admin.networkId)
      .where("m.id", "in", [0, ...ids])
      .execute();
    return rows.map((row) => asMatter(row, admin));
  });

/** The attorney's open referrals, the most overdue report first. */
export async function listOwnMatters(
  tx: Db,
  actor: Actor & { attorneyId: number },
): Promise<Matter[]> {
  const rows = await selectMatters(tx, actor.networkId)
    .where("m.attorneyId", "=", actor.attorneyId)
    .where("m.status", "=", "open")
    .orderBy("m.reportDueOn")
    .orderBy("m.id")
    .execute();
  return rows.map((row) => asMatter(row, actor));
}

/**
 * Change the given contact details. Throws 404, or 403 if the network does not permit editing. Source: spec §6,
 * published interface.
 */
export async function changeMatter(tx: Db, admin: Admin, wanted: MatterChanges): Promise<Matter> {
  const { matter_id: matterId, ...changes } = wanted;
  const columns = withoutUndefined(columnsOf(changes));
  if (Object.keys(columns).length === 0) throw invalid("", "The request must change something.");
  const before = await tx
    .selectFrom("matters")
    .select(["firstName", "lastName", "phone", "email", "addressLine1", "addressLine2"])
    .select(["addressCity", "addressRegion", "addressZip", "attorneyId"])
    .where("networkId", "=", admin.networkId)
    .where("id", "=", matterId)
    .forUpdate()
    .executeTakeFirst();
  if (!before) throw notFound("referral");
  if (!admin.permitsMatterEditing)
    throw new Refusal(403, "This network does not permit editing of referrals.");
  await tx
    .updateTable("matters")
    .set(columns)
    .where("networkId", "=", admin.networkId)
    .where("id", "=", matterId)
    .execute();
  const changed = changedFields(before, { ...before, ...columns });
  if (Object.keys(changed.after).length > 0)
    await audit(tx, admin, {
      action: "changed contact details",
      recordType: "matter",
      recordId: matterId,
      ...changed,
    });
  if (before.attorneyId === null) notifyOnCommit(tx, admin.networkId, null, "administration");
  else notifyOnCommit(tx, admin.networkId, before.attorneyId);
  return await findMatter(tx, admin, matterId);
}

/** Referrals with their attorney's name. */
function selectMatters(tx: Db, networkId: number) {
  return tx
    .selectFrom("matters as m")
    .leftJoin("attorneys as a", (on) =>
      on.onRef("a.networkId", "=", "m.networkId").onRef("a.id", "=", "m.attorneyId"),
    )
    .where("m.networkId", "=", networkId)
    .select(["m.id", "m.firstName", "m.lastName", "m.phone", "m.email", "m.status", "m.note"])
    .select(["m.addressLine1", "m.addressLine2", "m.addressCity", "m.addressRegion"])
    .select(["m.addressZip", "m.contactPreference", "m.followupConsent", "m.submittedAt"])
    .select(["m.referredAt", "m.attorneyId", "m.reportDueOn"])
    .select(sql<string | null>`a.first_name || ' ' || a.last_name`.as("attorneyName"));
}

type MatterRow = Awaited<ReturnType<ReturnType<typeof selectMatters>["execute"]>>[number];

function asMatter(row: MatterRow, actor: Actor): Matter {
  return {
    ...row,
    name: `${row.firstName} ${row.lastName}`,
    addressDisplay: addressLines({
      line1: row.addressLine1,
      line2: row.addressLine2,
      city: row.addressCity,
      region: row.addressRegion,
      zip: row.addressZip,
    }).join("\n"),
    contactPreferenceSentence: preferenceSentences[row.contactPreference],
    followupConsentSentence: consentSentences[row.followupConsent ? "yes" : "no"],
    permitEditing: actor.role === "admin" && actor.permitsMatterEditing,
  };
}

type Details = Omit<MatterChanges, "matter_id">;

/** The request's names become columns only here; absent ones stay undefined. */
export function columnsOf<Wanted extends Details>(wanted: Wanted) {
  return {
    firstName: wanted.first_name as Wanted["first_name"],
    lastName: wanted.last_name as Wanted["last_name"],
    phone: wanted.phone,
    email: wanted.email,
    addressLine1: wanted.address_line_1,
    addressLine2: wanted.address_line_2,
    addressCity: wanted.address_city,
    addressRegion: wanted.address_region,
    addressZip: wanted.address_zip,
  };
}
