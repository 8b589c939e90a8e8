import { type RawBuilder, sql } from "kysely";
import type { z } from "zod";
import type { PlainDate } from "#domain/calendar.ts";
import type { Actor, Admin } from "#domain/actor.ts";
import { audit } from "#db/audit.ts";
import type { Db } from "#db/database.ts";
import { notifyOnCommit } from "#db/changes.ts";
import { changedFields, withoutUndefined } from "#db/changed-fields.ts";
import { jsonQueryOrThrow, type RawJson } from "#db/json-query.ts";
import { asSorted, byPerson, orderBy, personOrder } from "#db/sort.ts";
import { invalid, notFound, refuseViolations } from "#contract/refusal.ts";
import type {
  AttorneyChanges,
  listAttorneys,
  NewAttorney,
  pauseAttorney,
} from "#features/attorneys/contract.ts";
import {
  lockAccountOf,
  askForEmail,
  emailTaken,
  refuseNewEmail,
  taken,
} from "#features/attorneys/new-emails.ts";
import { refuseUnknownFirm } from "#features/attorneys/known-firm.ts";
import { refuseUnknownFilters } from "#features/attorneys/chosen-attorneys.ts";
import { isPaused } from "#features/attorneys/vacation.ts";
import { refuseUnlessOwnVacation } from "#features/attorneys/vacation-settings.ts";
import { isListedAttorney } from "#features/lists/attorneys.ts";

type Wanted = z.output<typeof listAttorneys.query>;

/**
 * One page of the panel, by last name or as it is asked for, with what all pages owe together. Throws 404 for a
 * plan, a firm or an attorney of another network.
 */
export async function listPanel(
  tx: Db,
  admin: Admin,
  wanted: Wanted,
  today: PlainDate,
): Promise<RawJson> {
  const { page, per_page, sort, ...filters } = wanted;
  await refuseUnknownFilters(tx, admin, filters);
  const context = { ...admin, today: today.toString() };
  const paused = isPaused(today);
  const order = orderBy(sort, { ...orders, status: statusOrder(paused) }, usualOrder);
  return await jsonQueryOrThrow(
    tx,
    sql<{ body: string }>`
      with found as materialized (
        select a.network_id, a.id, a.first_name, a.last_name, a.email, a.phone, a.firm_id,
          a.paused_until, a.suspended_at, a.left_on, owed.*
        from attorneys a cross join lateral (${owedBy(context)}) as owed
        where ${isListedAttorney(context, filters, paused)}
      ), shown as materialized (
        select a.*, f.name as firm, u.last_signed_in_at, row_number() over (order by ${order}) as at
        from found a
        left join firms f on f.network_id = a.network_id and f.id = a.firm_id
        left join users u on u.network_id = a.network_id and u.attorney_id = a.id
        order by ${order} limit ${per_page} offset ${(page - 1) * per_page}
      )
      select json_build_object('total', count(*), 'page', ${page}::int, 'perPage', ${per_page}::int,
        'totals', json_build_object('balance', dollars(coalesce(sum(balance_cents), 0)::bigint),
          'overdue', dollars(coalesce(sum(overdue_cents), 0)::bigint)),
        'items', (select coalesce(json_agg(${rowJson(paused)} order by at), '[]') from shown a))::text as body
      from found`,
  );
}

/** What an attorney (alias `a`) owes, and what of it is overdue: an index holds what is owed and no other debits. */
const owedBy = ({ networkId, today }: { networkId: number; today: string }) => sql`
  select coalesce(sum(d.balance_cents), 0)::bigint as balance_cents,
    coalesce(sum(d.balance_cents) filter (where d.due_on < ${today}::date), 0)::bigint as overdue_cents,
    min(d.due_on) filter (where d.due_on < ${today}::date) as overdue_since
  from debits d
  where d.network_id = ${networkId} and d.attorney_id = a.id and d.balance_cents > 0`;

const rowJson = (paused: RawBuilder<boolean>) => sql`json_build_object(
  'id', a.id, 'name', a.first_name || ' ' || a.last_name, 'email', a.email, 'phone', a.phone,
  'pausedUntil', a.paused_until, 'paused', ${paused}, 'suspended', a.suspended_at is not null,
  'leftOn', a.left_on,
  'firm', case when a.firm_id is not null then json_build_object('id', a.firm_id, 'name', a.firm) end,
  'balance', dollars(a.balance_cents), 'overdue', dollars(a.overdue_cents),
  'overdueSince', a.overdue_since, 'lastSignedInAt', iso(a.last_signed_in_at))`;

const usualOrder = {
  usual: byPerson("a"),
  tie: sql`a.id`,
};

const orders = {
  name: personOrder("a"),
  email: sql`a.email`,
  phone: sql`nullif(a.phone, '')`,
  firm: asSorted(sql`f.name`),
  balance: sql`a.balance_cents`,
  overdue: sql`a.overdue_cents`,
  since: sql`a.overdue_since`,
  signed_in: sql`u.last_signed_in_at`,
};

/** Active ones first, then as their marks stand one after another. */
const statusOrder = (paused: RawBuilder<boolean>) => sql`case when a.left_on is not null then 3
  when a.suspended_at is not null then 2 when ${paused} then 1 else 0 end`;

const refusals = {
  attorneys_email: emailTaken,
  attorneys_bar_number: () => taken("bar_number", "bar number"),
  users_email_key: emailTaken,
  attorneys_firm: () => notFound("firm"),
};

/**
 * Add an attorney to the panel. Answers the id. Throws 404 for an unknown firm, 409 when the email or bar
 * number is another's.
 */
export async function addToPanel(tx: Db, admin: Admin, wanted: NewAttorney): Promise<number> {
  if (wanted.firm_id) await refuseUnknownFirm(tx, admin, wanted.firm_id); // before what is taken is
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
 * Change an attorney's details; what is absent stays. The sign-in account follows name and email, but the
 * address of an account in use is only asked for: it changes once it is confirmed by mail. Throws 404, 409 as
 * above, or 403 where the address is an account's and a program asks, or an account's in use and nobody has proved
 * lately to be this administrator.
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
  if (wanted.firm_id) await refuseUnknownFirm(tx, admin, wanted.firm_id); // before what is taken is
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
 * Put an attorney on vacation until a day, or end the vacation ("off"). Today is accepted and means
 * not paused; a past day is refused (422). Throws 404, or 403 for a lawyer where only administrators
 * set vacations. Source: domain rules §6.
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

/** The request's names become columns here and nowhere else. */
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
