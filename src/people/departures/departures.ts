import { sql } from "kysely";
import { type PlainDate, plainDate } from "#kit/domain/calendar.ts";
import type { Day } from "#kit/domain/day.ts";
import { dollarsText } from "#kit/domain/money.ts";
import type { Admin } from "#kit/domain/actor.ts";
import { audit } from "#kit/db/audit.ts";
import { notifyOnCommit } from "#kit/db/changes.ts";
import type { Db } from "#kit/db/database.ts";
import { invalid, notFound, Refusal } from "#kit/contract/refusal.ts";
import { isInUse } from "#access/sign-in/accounts.ts";
import { invitationMail } from "#access/sign-in/administrators.ts";
import { makeSignInLink } from "#access/sign-in/sign-in-links.ts";
import type { RequestSource } from "#access/sign-in/sign-in-events.ts";
import type { DeparturePreview, NewDeparture } from "#people/departures/contract.ts";
import { countDueDebits, createDueDebits, lockEnrolling } from "#dues/ledger/billing.ts";
import { queueMail } from "#outgoing/mail/outbox.ts";
import { accessAfterReturn } from "#outgoing/mail/texts/sign-in.ts";
import { lockPlan } from "#dues/plans/plans.ts";
import { isOverdue } from "#referrals/suspension/rule.ts";
import { lockSuspension, reviewAttorney } from "#referrals/suspension/suspension.ts";

/**
 * Record that an attorney has left the panel. Dues through that day are billed; the enrolments and any suspension end.
 * The database closes the account (rules/departures.sql). The balance and open referrals stay. Throws 404, 409 if the
 * attorney has already left, 422 for a day after today. Source: domain rules, second stage.
 */
export async function departAttorney(
  tx: Db,
  admin: Admin,
  { attorneyId, wanted, today }: { attorneyId: number; wanted: NewDeparture; today: PlainDate },
): Promise<void> {
  refuseFutureDay(wanted.left_on, today);
  // Lock order: enrolling (stops billing and undo), plans, suspensions, the attorney, then money.
  await lockEnrolling(tx, admin.networkId);
  const attorney = await findOnPanel(tx, admin, attorneyId);
  const enrolments = await activeEnrolments(tx, admin, attorneyId);
  const planIds = [...new Set(enrolments.map(({ planId }) => planId))];
  for (const planId of planIds.toSorted((a, b) => a - b))
    await lockPlan(tx, admin.networkId, planId);
  await lockSuspension(tx, admin.networkId);
  await sql`select 1 from attorneys where network_id = ${admin.networkId} and id = ${attorneyId}
    for update`.execute(tx);
  const billed = await createDueDebits(tx, billingScope(admin, enrolments, wanted.left_on));
  await endEnrolments(tx, admin, attorneyId, wanted.left_on);
  await tx
    .updateTable("attorneys")
    .set({
      leftOn: wanted.left_on,
      leftReason: wanted.reason,
      suspendedAt: null,
      suspensionReason: null,
    })
    .where("networkId", "=", admin.networkId)
    .where("id", "=", attorneyId)
    .execute();
  await audit(tx, admin, {
    action: "left the panel",
    recordType: "attorney",
    recordId: attorneyId,
    before: { leftOn: null, ...(attorney.suspendedAt && { suspended: true }) },
    after: {
      leftOn: wanted.left_on,
      reason: wanted.reason,
      ...(attorney.suspendedAt && { suspended: false }),
      enrolments: enrolments.length,
      ...(billed.debits > 0 && { billed: dollarsText(billed.amountCents) }),
    },
  });
  notifyOnCommit(tx, admin.networkId, attorneyId);
}

/**
 * Return an attorney to the panel. The account reopens, but the database ends its old password and passkeys
 * (rules/departures.sql), so a link to choose a new password is emailed. Overdue reports are checked again. Ended
 * enrolments stay ended. Throws 404, 409 if the attorney is on the panel, or 403 if a token returns an attorney with an
 * account in use.
 */
export async function returnAttorney(
  tx: Db,
  admin: Admin,
  { attorneyId, today, ...mailing }: Return,
): Promise<void> {
  await lockSuspension(tx, admin.networkId);
  const attorney = await tx
    .selectFrom("attorneys")
    .select(["firstName", "lastName", "leftOn", "leftReason"])
    .where("networkId", "=", admin.networkId)
    .where("id", "=", attorneyId)
    .forUpdate()
    .executeTakeFirst();
  if (!attorney) throw notFound("attorney");
  if (!attorney.leftOn)
    throw new Refusal(409, `${attorney.firstName} ${attorney.lastName} is already on the panel.`);
  const account = await accountInUse(tx, admin, attorneyId);
  if (account && admin.userId === null)
    throw new Refusal(
      403,
      "A token cannot return an attorney who has signed in before, because this ends their password. Sign in as an administrator to do it.",
    );
  await tx
    .updateTable("attorneys")
    .set({ leftOn: null, leftReason: "" })
    .where("networkId", "=", admin.networkId)
    .where("id", "=", attorneyId)
    .execute();
  await audit(tx, admin, {
    action: "returned to the panel",
    recordType: "attorney",
    recordId: attorneyId,
    before: { leftOn: attorney.leftOn, reason: attorney.leftReason },
    after: { leftOn: null, reason: "" },
  });
  if (account) await mailNewAccess(tx, admin, account, mailing);
  await reviewAttorney(tx, admin, attorneyId, today);
  notifyOnCommit(tx, admin.networkId, attorneyId);
}

interface Mailing {
  publicUrl: string;
  from: RequestSource;
}

interface Return extends Mailing {
  attorneyId: number;
  today: PlainDate;
}

interface AccountInUse {
  userId: number;
  name: string;
  email: string;
}

/** The account of an attorney who has chosen a password. Others are invited like new attorneys. */
async function accountInUse(
  tx: Db,
  { networkId }: Admin,
  attorneyId: number,
): Promise<AccountInUse | undefined> {
  return await tx
    .selectFrom("users as u")
    .select(["u.id as userId", "u.name", "u.email"])
    .where("u.networkId", "=", networkId)
    .where("u.attorneyId", "=", attorneyId)
    .where(isInUse)
    .executeTakeFirst();
}

async function mailNewAccess(
  tx: Db,
  admin: Admin,
  account: AccountInUse,
  mailing: Mailing,
): Promise<void> {
  const { networkId, networkName } = admin;
  const to = { ...account, networkId };
  const link = await makeSignInLink(tx, to, "invitation", { ...mailing, by: admin });
  const text = accessAfterReturn({ name: account.name, networkName, link: link.url });
  await queueMail(tx, { ...invitationMail(to, networkName, link), ...text });
}

/** What a departure on a day would do. Throws like `departAttorney`. */
export async function previewDepartureOf(
  tx: Db,
  admin: Admin,
  { attorneyId, leftOn, today }: { attorneyId: number; leftOn: Day; today: PlainDate },
): Promise<DeparturePreview> {
  refuseFutureDay(leftOn, today);
  await findOnPanel(tx, admin, attorneyId);
  const enrolments = await activeEnrolments(tx, admin, attorneyId);
  const billed = await countDueDebits(tx, billingScope(admin, enrolments, leftOn));
  const { rows } = await sql<Omit<DeparturePreview, "enrolments" | "billed">>`
    select referred.*, debited.* from (
      select count(*) as open_referrals, count(*) filter (where ${isOverdue(today)}) as overdue_reports
      from matters m
      where m.network_id = ${admin.networkId} and m.attorney_id = ${attorneyId} and m.status = 'open'
    ) as referred cross join (
      select count(*) filter (where due_on > ${leftOn}::date) as later_debits,
        coalesce(sum(balance_cents) filter (where due_on > ${leftOn}::date), 0)::bigint as later_amount,
        coalesce(sum(balance_cents), 0)::bigint as owed
      from debits
      where network_id = ${admin.networkId} and attorney_id = ${attorneyId} and balance_cents > 0
    ) as debited`.execute(tx);
  const counted = rows[0] as (typeof rows)[number]; // aggregates always have their row
  return { ...counted, enrolments: enrolments.length, billed: billed.amountCents };
}

interface ActiveEnrolment {
  id: number;
  planId: number;
}

function refuseFutureDay(leftOn: Day, today: PlainDate): void {
  if (leftOn > today.toString()) throw invalid("left_on", "Left on must be today or earlier.");
}

async function findOnPanel(tx: Db, admin: Admin, attorneyId: number) {
  const attorney = await tx
    .selectFrom("attorneys")
    .select(["firstName", "lastName", "leftOn", "suspendedAt"])
    .where("networkId", "=", admin.networkId)
    .where("id", "=", attorneyId)
    .executeTakeFirst();
  if (!attorney) throw notFound("attorney");
  if (attorney.leftOn)
    throw new Refusal(
      409,
      `${attorney.firstName} ${attorney.lastName} has already left the panel.`,
    );
  return attorney;
}

async function activeEnrolments(
  tx: Db,
  admin: Admin,
  attorneyId: number,
): Promise<ActiveEnrolment[]> {
  return await tx
    .selectFrom("enrolments")
    .select(["id", "planId"])
    .where("networkId", "=", admin.networkId)
    .where("attorneyId", "=", attorneyId)
    .where("archivedAt", "is", null)
    .execute();
}

/** The enrolments, billed through the day of leaving. */
const billingScope = ({ networkId }: Admin, enrolments: ActiveEnrolment[], leftOn: Day) => ({
  networkId,
  asOf: plainDate(leftOn),
  enrolmentIds: enrolments.map(({ id }) => id),
});

/** Enrolments end at the end of that day, or now if it is today, but never before they were made. */
async function endEnrolments(tx: Db, admin: Admin, attorneyId: number, leftOn: Day): Promise<void> {
  await sql`
    with ended as (
      update enrolments e set archived_at = greatest(e.created_at,
        least(now(), (${leftOn}::date + 1)::timestamp at time zone n.time_zone - interval '1 second'))
      from networks n
      where n.id = e.network_id and e.network_id = ${admin.networkId} and e.attorney_id = ${attorneyId}
        and e.archived_at is null
      returning e.id
    )
    insert into audit_entries
      (network_id, actor_user_id, actor_name, action, record_type, record_id, before, after)
    select ${admin.networkId}, ${admin.userId}, ${admin.name}, 'unsubscribed', 'enrolment', id,
      '{"archived": false}', '{"archived": true}'
    from ended order by id`.execute(tx);
}
