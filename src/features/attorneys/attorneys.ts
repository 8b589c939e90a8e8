import { sql } from "kysely";
import type { Page } from "#contract/page.ts";
import type { z } from "zod";
import type { PlainDate } from "#domain/calendar.ts";
import type { Cents } from "#domain/money.ts";
import type { Admin } from "#domain/actor.ts";
import { audit } from "#db/audit.ts";
import type { Db } from "#db/database.ts";
import { notifyOnCommit } from "#db/changes.ts";
import { changedFields, withoutUndefined } from "#db/changed-fields.ts";
import { invalid, notFound, Refusal, refuseViolations } from "#contract/refusal.ts";
import type {
  AttorneyChanges,
  AttorneyRow,
  listAttorneys,
  NewAttorney,
  pauseAttorney,
} from "#features/attorneys/contract.ts";
import { isPaused } from "#features/attorneys/vacation.ts";
import { isListedAttorney } from "#features/lists/attorneys.ts";

type Wanted = z.output<typeof listAttorneys.query>;
type Panel = ReturnType<typeof panelQuery>;

/**
 * The panel by last name, filtered by text and by status; who has left it only by that status. A list of
 * one page, with the total.
 */
export async function listPanel(
  tx: Db,
  admin: Admin,
  wanted: Wanted,
  today: PlainDate,
): Promise<Page<AttorneyRow>> {
  const paused = isPaused(today);
  const isSuspended = sql<boolean>`suspended_at is not null`;
  const context = { ...admin, today: today.toString() };
  const panel = panelQuery(tx, admin).where(
    sql<boolean>`${isListedAttorney(context, wanted, paused)}`,
  );
  const { page, total } = await (wanted.search ? search : list)(tx, panel, wanted);
  const items = await page
    .select(["a.id", "a.email", "a.phone", "a.pausedUntil", "a.leftOn"])
    .select([
      sql<string>`a.first_name || ' ' || a.last_name`.as("name"),
      paused.as("paused"),
      isSuspended.as("suspended"),
    ])
    .select(
      sql<Cents>`(select coalesce(sum(balance_cents), 0)::bigint from debits d
        where d.network_id = a.network_id and d.attorney_id = a.id)`.as("balance"),
    )
    .orderBy(byName)
    .execute();
  return { items, total, page: wanted.page, perPage: wanted.per_page };
}

const panelQuery = (tx: Db, admin: Admin) =>
  tx.selectFrom("attorneys as a").where("a.networkId", "=", admin.networkId);

const byName = sql`lower(last_name), lower(first_name), a.id`;

const offsetOf = ({ page, per_page }: Wanted): number => (page - 1) * per_page;

async function list(_tx: Db, panel: Panel, wanted: Wanted) {
  const { total } = await panel
    .select((count) => count.fn.countAll<number>().as("total"))
    .executeTakeFirstOrThrow();
  return { page: panel.limit(wanted.per_page).offset(offsetOf(wanted)), total };
}

/** Materialises the matches first, as the search of referrals does (docs/decisions/018). */
async function search(tx: Db, panel: Panel, wanted: Wanted) {
  const { rows } = await sql<{ ids: number[]; total: number }>`
    with found as materialized (${panel.select(["a.id", "a.lastName", "a.firstName"])})
    select (select count(*) from found) as total, to_json(array(
      select id from found a order by ${byName}
      limit ${wanted.per_page} offset ${offsetOf(wanted)})) as ids`.execute(tx);
  const { ids, total } = rows[0] ?? { ids: [], total: 0 };
  return { page: panel.where("a.id", "in", [0, ...ids]), total };
}

const taken = (field: string, what: string) => () =>
  new Refusal(409, `Another attorney on the panel already has this ${what}.`, {
    errors: [{ path: field, message: `Another attorney on the panel already has this ${what}.` }],
  });

const refusals = {
  attorneys_email: taken("email", "email address"),
  attorneys_bar_number: taken("bar_number", "bar number"),
  users_email_key: taken("email", "email address"),
  attorneys_firm: () => notFound("firm"),
};

/**
 * Add an attorney to the panel. Answers the id. Throws 404 for an unknown firm, 409 when the email or bar
 * number is another's.
 */
export async function addToPanel(tx: Db, admin: Admin, wanted: NewAttorney): Promise<number> {
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
  return id;
}

/**
 * Change an attorney's details; what is absent stays. The sign-in account follows name and email.
 * Throws 404, or 409 as above.
 */
export async function changeDetails(
  tx: Db,
  admin: Admin,
  { attorneyId, wanted }: { attorneyId: number; wanted: AttorneyChanges },
): Promise<void> {
  if (Object.keys(wanted).length === 0) throw invalid("", "The request must change something.");
  const before = await lockAttorney(tx, admin, attorneyId);
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
}

/**
 * Put an attorney on vacation until a day, or end the vacation ("off"). Today is accepted and means
 * not paused; a past day is refused (422). Throws 404. Source: domain rules §6.
 */
export async function setVacation(
  tx: Db,
  admin: Admin,
  wanted: z.output<typeof pauseAttorney.body>,
  today: PlainDate,
): Promise<void> {
  const pausedUntil = wanted.paused_until === "off" ? null : wanted.paused_until;
  if (pausedUntil !== null && pausedUntil < today.toString())
    throw invalid("paused_until", "Vacation until must be today or a later date.");
  const before = await lockAttorney(tx, admin, wanted.attorney_id);
  await tx
    .updateTable("attorneys")
    .set({ pausedUntil })
    .where("networkId", "=", admin.networkId)
    .where("id", "=", wanted.attorney_id)
    .execute();
  await audit(tx, admin, {
    action: pausedUntil ? "put on vacation" : "ended vacation",
    recordType: "attorney",
    recordId: wanted.attorney_id,
    before: { pausedUntil: before.pausedUntil },
    after: { pausedUntil },
  });
  notifyOnCommit(tx, admin.networkId, wanted.attorney_id);
}

async function lockAttorney(tx: Db, admin: Admin, attorneyId: number) {
  const attorney = await tx
    .selectFrom("attorneys")
    .select(["firstName", "lastName", "email", "phone", "barNumber", "pausedUntil"])
    .select(["addressLine1", "addressLine2", "addressCity", "addressRegion", "addressZip"])
    .select(["firmId", firmName])
    .where("networkId", "=", admin.networkId)
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
