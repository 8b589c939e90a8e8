import { sql } from "kysely";
import type { z } from "zod";
import type { PlainDate } from "#kit/domain/calendar.ts";
import type { Actor, Admin } from "#kit/domain/actor.ts";
import { audit } from "#kit/db/audit.ts";
import type { Db } from "#kit/db/database.ts";
import { notifyOnCommit } from "#kit/db/changes.ts";
import { changedFields, withoutUndefined } from "#kit/db/changed-fields.ts";
import { invalid, notFound, refuseViolations } from "#kit/contract/refusal.ts";
import type { AttorneyChanges, NewAttorney, pauseAttorney } from "#people/contract.ts";
import {
  lockAccountOf,
  askForEmail,
  emailTaken,
  refuseNewEmail,
  taken,
} from "#people/new-emails.ts";
import { refuseUnknownFirm } from "#panel/known-firm.ts";
import { refuseUnlessOwnVacation } from "#panel/vacation-settings.ts";

const refusals = {
  attorneys_email: emailTaken,
  attorneys_bar_number: () => taken("bar_number", "bar number"),
  users_email_key: emailTaken,
  attorneys_firm: () => notFound("firm"),
};

/**
 * Add an attorney to the panel. Answers the id. Throws 404 for an unknown firm, 409 if another attorney has the
 * email or bar number.
 */
export async function addToPanel(tx: Db, admin: Admin, wanted: NewAttorney): Promise<number> {
  if (wanted.firm_id) await refuseUnknownFirm(tx, admin, wanted.firm_id); // 404 before 409
  const { id, firm } = await refuseViolations(
    refusals,
    tx
      .insertInto("attorneys")
      .values({ networkId: admin.networkId, ...columnsOf(wanted) })
      .returning(["id", firmName])
      .executeTakeFirstOrThrow(),
  );
  await audit(tx, admin, {
    action: "added",
    recordType: "attorney",
    recordId: id,
    after: { ...columnsOf(wanted), firm },
  });
  notifyOnCommit(tx, admin.networkId, null, "administration");
  return id;
}

/**
 * Change an attorney's details; absent fields stay. The sign-in account gets the same name and email, but a new address
 * for an account in use takes effect only after it is confirmed by email. Throws 404 and 409 like `addToPanel`; 403 for a
 * new address of an account if a token asks, or if the account is in use and the administrator has not signed in recently.
 */
export async function changeDetails(
  tx: Db,
  admin: Admin,
  { attorneyId, wanted, publicUrl }: DetailsChange,
): Promise<void> {
  if (Object.keys(wanted).length === 0) throw invalid("", "The request must change something.");
  const before = await lockAttorney(tx, admin, attorneyId);
  const { email, ...others } = wanted;
  const account =
    email === undefined || email === before.email
      ? null
      : await lockAccountOf(tx, admin, attorneyId);
  if (account) refuseNewEmail(admin, account);
  if (email === undefined || !account?.isInUse)
    return await writeDetails(tx, admin, { attorneyId, before, wanted });
  if (Object.keys(others).length > 0)
    await writeDetails(tx, admin, { attorneyId, before, wanted: others });
  await askForEmail(tx, admin, { ...account, email, publicUrl });
}

interface DetailsChange {
  attorneyId: number;
  wanted: AttorneyChanges;
  publicUrl: string;
}

async function writeDetails(
  tx: Db,
  admin: Admin,
  {
    attorneyId,
    before,
    wanted,
  }: Omit<DetailsChange, "publicUrl"> & { before: Awaited<ReturnType<typeof lockAttorney>> },
): Promise<void> {
  if (wanted.firm_id) await refuseUnknownFirm(tx, admin, wanted.firm_id); // 404 before 409
  const { firstName, lastName, email, firm } = await refuseViolations(
    refusals,
    tx
      .updateTable("attorneys")
      .set(columnsOf(wanted))
      .where("networkId", "=", admin.networkId)
      .where("id", "=", attorneyId)
      .returning(["firstName", "lastName", "email", firmName])
      .executeTakeFirstOrThrow(),
  );
  await refuseViolations(
    refusals,
    tx
      .updateTable("users")
      .set({ name: `${firstName} ${lastName}`, email })
      .where("networkId", "=", admin.networkId)
      .where("attorneyId", "=", attorneyId)
      .execute(),
  );
  await audit(tx, admin, {
    action: "changed details",
    recordType: "attorney",
    recordId: attorneyId,
    ...changedFields(before, { ...before, ...withoutUndefined(columnsOf(wanted)), firm }),
  });
  notifyOnCommit(tx, admin.networkId, attorneyId);
}

/**
 * Put an attorney on vacation until a day, or end the vacation ("off"). Today is accepted and means not paused. Throws
 * 422 for a past day, 404, or 403 for a lawyer if only administrators set vacations. Source: domain rules §6.
 */
export async function setVacation(
  tx: Db,
  actor: Actor,
  wanted: z.output<typeof pauseAttorney.body>,
  today: PlainDate,
): Promise<void> {
  const pausedUntil = wanted.paused_until === "off" ? null : wanted.paused_until;
  if (pausedUntil !== null && pausedUntil < today.toString())
    throw invalid("paused_until", "Vacation until must be today or a later date.");
  if (actor.role === "attorney") await refuseUnlessOwnVacation(tx, actor, wanted.attorney_id);
  const before = await lockAttorney(tx, actor, wanted.attorney_id);
  await tx
    .updateTable("attorneys")
    .set({ pausedUntil })
    .where("networkId", "=", actor.networkId)
    .where("id", "=", wanted.attorney_id)
    .execute();
  await audit(tx, actor, {
    action: pausedUntil ? "put on vacation" : "ended vacation",
    recordType: "attorney",
    recordId: wanted.attorney_id,
    before: { pausedUntil: before.pausedUntil },
    after: { pausedUntil },
  });
  notifyOnCommit(tx, actor.networkId, wanted.attorney_id);
}

async function lockAttorney(tx: Db, actor: Actor, attorneyId: number) {
  const attorney = await tx
    .selectFrom("attorneys")
    .select(["firstName", "lastName", "email", "phone", "barNumber", "pausedUntil"])
    .select(["addressLine1", "addressLine2", "addressCity", "addressRegion", "addressZip"])
    .select(["firmId", firmName])
    .where("networkId", "=", actor.networkId)
    .where("id", "=", attorneyId)
    .forNoKeyUpdate()
    .executeTakeFirst();
  if (!attorney) throw notFound("attorney");
  return attorney;
}

/** The name of an attorney's firm, if any. */
const firmName = sql<string | null>`(select f.name from firms f
  where f.network_id = attorneys.network_id and f.id = attorneys.firm_id)`.as("firm");

/** The request's names as columns. */
function columnsOf<Wanted extends AttorneyChanges>(wanted: Wanted) {
  return {
    firstName: wanted.first_name as Wanted["first_name"],
    lastName: wanted.last_name as Wanted["last_name"],
    email: wanted.email as Wanted["email"],
    phone: wanted.phone,
    barNumber: wanted.bar_number,
    addressLine1: wanted.address_line_1,
    addressLine2: wanted.address_line_2,
    addressCity: wanted.address_city,
    addressRegion: wanted.address_region,
    addressZip: wanted.address_zip,
    firmId: wanted.firm_id,
  };
}
