import { sql } from "kysely";
import type { PlainDate } from "#kit/domain/calendar.ts";
import type { Admin } from "#kit/domain/actor.ts";
import { audit } from "#kit/db/audit.ts";
import { notifyOnCommit } from "#kit/db/changes.ts";
import type { Db } from "#kit/db/database.ts";
import { notFound, Refusal } from "#kit/contract/refusal.ts";
import { refuseUnknownAttorney } from "#panel/known-attorney.ts";
import { isPaused } from "#panel/vacation.ts";
import { queueMail } from "#outgoing/mail/outbox.ts";
import { referral, referralEnded } from "#outgoing/mail/texts/referrals.ts";
import type {
  Matter,
  MatterReferral,
  NewReferral,
  Withdrawal,
} from "#referrals/matters/contract.ts";
import { findMatter } from "#referrals/matters/matters.ts";
import { lockSuspension, reviewAttorney } from "#referrals/suspension/suspension.ts";

/**
 * Refer a new matter, or reassign one: its attorney owes no more reports on it, and both are emailed. Throws 404, and
 * 409 for a closed matter, for an attorney who has it already or may not receive it, and if another attorney than
 * expected has it. Source: domain rules §6, second stage.
 */
export async function referMatter(
  tx: Db,
  admin: Admin,
  { matterId, wanted, today }: { matterId: number; wanted: NewReferral; today: PlainDate },
): Promise<Matter> {
  const { attorney_id: attorneyId, from_attorney_id: from, reason } = wanted;
  const matter = await lockMatter(tx, admin, matterId);
  const isClosed = matter.status === "closed";
  const isElsewhere = from !== undefined && from !== matter.attorneyId;
  if (isClosed || isElsewhere) await refuseUnknownAttorney(tx, admin, attorneyId); // wins over the refusals below
  if (isClosed) throw new Refusal(409, "This referral is closed and cannot be referred.");
  if (matter.attorneyId === attorneyId || isElsewhere)
    throw new Refusal(409, "This referral has already been assigned. Reload the page to see it.");
  await referTo(tx, admin, { matterId, attorneyId, today, from: matter, reason });
  return await findMatter(tx, admin, matterId);
}

/**
 * Withdraw an open referral: it becomes new again. Its attorney owes no more reports on it and is emailed. Throws 404,
 * and 409 if no attorney has it, or another than expected. Source: domain rules, second stage.
 */
export async function withdrawMatter(
  tx: Db,
  admin: Admin,
  { matterId, wanted, today }: { matterId: number; wanted: Withdrawal; today: PlainDate },
): Promise<Matter> {
  const { reason, from_attorney_id: from } = wanted;
  const matter = await lockMatter(tx, admin, matterId);
  if (matter.status !== "open")
    throw new Refusal(409, `This referral is ${matter.status}: there is nothing to withdraw.`);
  if (matter.attorneyId === null) throw notFound("referral"); // impossible: the table forbids it
  if (from !== undefined && from !== matter.attorneyId)
    throw new Refusal(409, "This referral has already been assigned. Reload the page to see it.");
  await lockAttorneys(tx, admin, [matter.attorneyId]);
  await tx
    .updateTable("matters")
    .set({ attorneyId: null, status: "new", referredAt: null, reportDueOn: null })
    .where("networkId", "=", admin.networkId)
    .where("id", "=", matterId)
    .execute();
  const attorney = await endReferral(tx, admin, { matterId, how: "withdrawn", reason, today });
  await audit(tx, admin, {
    action: "withdrew referral",
    recordType: "matter",
    recordId: matterId,
    before: { status: "open", attorney, reportDueOn: matter.reportDueOn },
    after: { status: "new", attorney: null, reportDueOn: null, reason },
  });
  return await findMatter(tx, admin, matterId);
}

/** Close a referral that needs no attorney. Throws 404, and 409 if an attorney has it or it is already closed. */
export async function closeMatter(
  tx: Db,
  admin: Admin,
  { matterId, reason }: { matterId: number; reason: string },
): Promise<Matter> {
  const matter = await lockMatter(tx, admin, matterId);
  if (matter.status === "open")
    throw new Refusal(409, "An attorney has this referral. Withdraw it before you close it.");
  if (matter.status === "closed") throw new Refusal(409, "This referral is already closed.");
  await tx
    .updateTable("matters")
    .set({ status: "closed", closedAt: sql<string>`now()` })
    .where("networkId", "=", admin.networkId)
    .where("id", "=", matterId)
    .execute();
  await audit(tx, admin, {
    action: "closed referral",
    recordType: "matter",
    recordId: matterId,
    before: { status: "new" },
    after: { status: "closed", reason },
  });
  notifyOnCommit(tx, admin.networkId, null, "administration");
  return await findMatter(tx, admin, matterId);
}

/** The attorneys who had a referral, newest first. Throws 404. */
export async function listReferrals(
  tx: Db,
  admin: Admin,
  matterId: number,
): Promise<MatterReferral[]> {
  await findMatter(tx, admin, matterId);
  return await tx
    .selectFrom("matterReferrals as r")
    .innerJoin("attorneys as a", (on) =>
      on.onRef("a.networkId", "=", "r.networkId").onRef("a.id", "=", "r.attorneyId"),
    )
    .select(["r.id", "r.attorneyId", "r.referredAt", "r.endedAt", "r.ended", "r.reason"])
    .select(sql<string>`a.first_name || ' ' || a.last_name`.as("attorneyName"))
    .select("a.phone as attorneyPhone")
    .where("r.networkId", "=", admin.networkId)
    .where("r.matterId", "=", matterId)
    .orderBy("r.id", "desc")
    .execute();
}

interface Referring {
  matterId: number;
  attorneyId: number;
  today: PlainDate;
  /** The matter's present state, if it was recorded before. */
  from?: Pick<LockedMatter, "status" | "attorneyId" | "reportDueOn">;
  reason?: string;
}

/** Refer a matter to an attorney who may receive it. Throws 404 and 409 as above. */
export async function referTo(
  tx: Db,
  admin: Admin,
  { matterId, attorneyId, today, from, reason = "" }: Referring,
): Promise<void> {
  const before = from?.attorneyId ?? null;
  await lockAttorneys(tx, admin, before === null ? [attorneyId] : [attorneyId, before]);
  // Ask the rule about suspension: the last review may be out of date.
  await reviewAttorney(tx, admin, attorneyId, today);
  const attorney = await findReceiver(tx, admin, attorneyId, today);
  const reportDueOn = today.add({ days: attorney.overduePeriodInDays }).toString();
  await tx
    .updateTable("matters")
    .set({ attorneyId, status: "open", referredAt: sql<string>`now()`, reportDueOn })
    .where("networkId", "=", admin.networkId)
    .where("id", "=", matterId)
    .execute();
  const replaced =
    before === null
      ? null
      : await endReferral(tx, admin, { matterId, how: "reassigned", reason, today });
  const { id } = await tx
    .selectFrom("matterReferrals")
    .select("id")
    .where("networkId", "=", admin.networkId)
    .where("matterId", "=", matterId)
    .where("endedAt", "is", null)
    .executeTakeFirstOrThrow();
  await queueMail(tx, {
    networkId: admin.networkId,
    attorneyId,
    occasion: `referred:${id}`,
    recipient: attorney.email,
    ...referral({ ...attorney, reportDueOn }),
    pagePath: `/dashboard/referrals?referral=${matterId}`,
  });
  await audit(tx, admin, {
    action: replaced === null ? "referred" : "reassigned",
    recordType: "matter",
    recordId: matterId,
    before:
      replaced === null
        ? { status: "new" }
        : { attorney: replaced, reportDueOn: from?.reportDueOn ?? null },
    after: {
      status: "open",
      attorneyId,
      attorney: attorney.name,
      reportDueOn,
      ...(reason && { reason }),
    },
  });
  notifyOnCommit(tx, admin.networkId, attorneyId);
}

type LockedMatter = Awaited<ReturnType<typeof lockMatter>>;

async function lockMatter(tx: Db, admin: Admin, matterId: number) {
  const matter = await tx
    .selectFrom("matters")
    .select(["status", "attorneyId", "reportDueOn"])
    .where("networkId", "=", admin.networkId)
    .where("id", "=", matterId)
    .forUpdate()
    .executeTakeFirst();
  if (!matter) throw notFound("referral");
  return matter;
}

/** In id order, so that two matters that swap attorneys cannot deadlock. */
async function lockAttorneys(tx: Db, admin: Admin, ids: number[]): Promise<void> {
  await lockSuspension(tx, admin.networkId);
  await sql`select 1 from attorneys where network_id = ${admin.networkId} and id = any(${ids}::bigint[])
    order by id for no key update`.execute(tx);
}

/** An attorney who may receive a referral. Throws 404, or 409 if not. */
async function findReceiver(tx: Db, admin: Admin, attorneyId: number, today: PlainDate) {
  const attorney = await tx
    .selectFrom("attorneys as a")
    .innerJoin("networks as n", "n.id", "a.networkId")
    .select(["a.firstName", "a.suspendedAt", "a.leftOn", isPaused(today).as("paused")])
    .select(["a.email", "n.overduePeriodInDays", "n.name as networkName"])
    .select(sql<string>`a.first_name || ' ' || a.last_name`.as("name"))
    .where("a.networkId", "=", admin.networkId)
    .where("a.id", "=", attorneyId)
    .executeTakeFirst();
  if (!attorney) throw notFound("attorney");
  const because = attorney.leftOn
    ? "has left the panel"
    : attorney.paused
      ? "is on vacation"
      : attorney.suspendedAt && "is suspended";
  if (because) throw new Refusal(409, `${attorney.name} ${because} and receives no new referrals.`);
  return attorney;
}

interface Ending {
  matterId: number;
  how: "reassigned" | "withdrawn";
  reason: string;
  today: PlainDate;
}

/** After a matter changed attorneys: record why, email the former one, review their suspension. Returns their name. */
async function endReferral(
  tx: Db,
  admin: Admin,
  { matterId, how, reason, today }: Ending,
): Promise<string> {
  const { rows } = await sql<EndedReferral>`
    update matter_referrals r set reason = ${reason}
    from attorneys a
    where r.network_id = ${admin.networkId} and r.id = (
        select id from matter_referrals
        where network_id = ${admin.networkId} and matter_id = ${matterId} and ended = ${how}
        order by id desc limit 1)
      and a.network_id = r.network_id and a.id = r.attorney_id
    returning r.id, a.id as attorney_id, a.first_name, a.last_name, a.email, a.left_on is not null as has_left,
      (r.referred_at at time zone ${admin.timeZone})::date as referred_on`.execute(tx);
  const [ended] = rows;
  if (!ended) throw notFound("referral"); // impossible: the trigger on matters ends one
  await queueMail(tx, {
    networkId: admin.networkId,
    attorneyId: ended.attorneyId,
    occasion: `referral ended:${ended.id}`,
    recipient: ended.email,
    ...referralEnded({ ...ended, networkName: admin.networkName, how }),
    ...(!ended.hasLeft && { pagePath: "/dashboard/referrals" }),
  });
  await reviewAttorney(tx, admin, ended.attorneyId, today);
  notifyOnCommit(tx, admin.networkId, ended.attorneyId);
  return `${ended.firstName} ${ended.lastName}`;
}

interface EndedReferral {
  id: number;
  attorneyId: number;
  firstName: string;
  lastName: string;
  email: string;
  hasLeft: boolean;
  referredOn: string;
}
