import { sql } from "kysely";
import type { z } from "zod";
import type { Page } from "#contract/page.ts";
import type { PlainDate } from "#domain/calendar.ts";
import type { Admin } from "#domain/actor.ts";
import type { Db } from "#db/database.ts";
import { asSorted, orderBy, personOrder } from "#db/sort.ts";
import { refuseUnknownAttorney } from "#features/attorneys/known-attorney.ts";
import { isListedMatter } from "#features/lists/matters.ts";
import type { listMatters, Matter } from "#features/matters/contract.ts";
import { asMatter, matterRows } from "#features/matters/matters.ts";
import { isOverdue } from "#features/suspension/rule.ts";

type Wanted = z.output<typeof listMatters.query>;
type Found = ReturnType<typeof mattersQuery>;

/** The referrals of one page, in their order, and how many there are on all pages. */
interface MatterPage {
  ids: number[];
  total: number;
}

/**
 * Referrals, filtered by text, attorney, status and whether a report is overdue: newest first, the most
 * overdue first, or by a column; one page, with the total. Throws 404 for an unknown attorney.
 */
export async function listAllMatters(
  tx: Db,
  admin: Admin,
  wanted: Wanted,
  today: PlainDate,
): Promise<Page<Matter>> {
  if (wanted.attorney_id) await refuseUnknownAttorney(tx, admin, wanted.attorney_id);
  const found = filteredMatters(tx, admin, wanted, today);
  const { ids, total } = wanted.search
    ? await search(tx, found, wanted)
    : await list(found, wanted);
  const rows = await matterRows(tx, admin.networkId)
    .where("m.id", "in", [0, ...ids])
    .execute();
  const byId = new Map(rows.map((row) => [row.id, row]));
  const items = ids.flatMap((id) => byId.get(id) ?? []).map((row) => asMatter(row, admin));
  return { items, total, page: wanted.page, perPage: wanted.per_page };
}

const mattersQuery = (tx: Db, admin: Admin) =>
  tx.selectFrom("matters as m").where("m.networkId", "=", admin.networkId);

function filteredMatters(tx: Db, admin: Admin, wanted: Wanted, today: PlainDate): Found {
  const context = { ...admin, today: today.toString() };
  return mattersQuery(tx, admin).where(
    sql<boolean>`${isListedMatter(context, wanted, isOverdue(today))}`,
  );
}

/**
 * The matches of a search. The database only estimates how rare a word is, and a wrong estimate reads the
 * whole network in order for one page. So the matches are materialised first, through the text index,
 * and both the total and the page are taken from them (docs/decisions/018).
 */
async function search(tx: Db, found: Found, wanted: Wanted): Promise<MatterPage> {
  const { rows } = await sql<MatterPage>`
    with found as materialized (${found.select(sortedColumns)})
    select (select count(*) from found) as total, to_json(array(
      select id from found as m order by ${orderOf(wanted)}
      limit ${wanted.per_page} offset ${offsetOf(wanted)})) as ids`.execute(tx);
  return rows[0] ?? { ids: [], total: 0 };
}

async function list(found: Found, wanted: Wanted): Promise<MatterPage> {
  const { total } = await found
    .select((count) => count.fn.countAll<number>().as("total"))
    .executeTakeFirstOrThrow();
  return { ids: await inOrder(found, wanted), total };
}

async function inOrder(found: Found, wanted: Wanted): Promise<number[]> {
  const rows = await found
    .select("m.id")
    .orderBy(orderOf(wanted))
    .limit(wanted.per_page)
    .offset(offsetOf(wanted))
    .execute();
  return rows.map((row) => row.id);
}

const offsetOf = ({ page, per_page }: Wanted): number => (page - 1) * per_page;

const isByDue = ({ report }: Wanted): boolean => report === "overdue";

const sortedColumns = [
  "m.id",
  "m.networkId",
  "m.firstName",
  "m.lastName",
  "m.status",
  "m.attorneyId",
  "m.referredAt",
  "m.reportDueOn",
] as const;

const orders = {
  name: { always: personOrder("m") },
  status: sql`m.status`,
  attorney: asSorted(sql`(select array[a.last_name, a.first_name] from attorneys a
    where a.network_id = m.network_id and a.id = m.attorney_id)`),
  referred: sql`m.referred_at`,
  due: sql`m.report_due_on`,
};

const orderOf = (wanted: Wanted) =>
  orderBy(wanted.sort, orders, {
    usual: isByDue(wanted) ? sql`m.report_due_on, m.id` : sql`m.id desc`,
    tie: sql`m.id`,
  });
