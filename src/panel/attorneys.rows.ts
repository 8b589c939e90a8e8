import { sql } from "kysely";
import { daysAfter } from "#kit/domain/day.ts";
import { jsonWhere, shapeJson, tableJson } from "#kit/db/shape-json.ts";
import { byPerson, personOrder } from "#kit/db/sort.ts";
import { matchesSearch } from "#kit/db/text-search.ts";
import { PanelRow } from "./contract.ts";
import { attorneys } from "#panel/attorneys.list.ts";
import { refuseUnknownAttorneys } from "#panel/known-attorney.ts";
import { isPaused } from "#panel/vacation.ts";
import { isEmailRefused } from "#outgoing/mail/email-refusal.ts";
import type { ListContext } from "#kit/list/list-context.ts";
import { yesOrNo } from "#kit/list/report.ts";
import { rowsOf } from "#kit/list/rows-of.ts";

const withNames = sql`attorneys a
  left join users u on u.network_id = a.network_id and u.attorney_id = a.id
  left join firms f on f.network_id = a.network_id and f.id = a.firm_id`;

/** What one page shows and sorts by. The partial index on debits with a balance keeps it fast. */
const withOwed = ({ networkId, today }: ListContext) => sql`${withNames}
  left join lateral (
    select sum(d.balance_cents) as balance_cents,
      sum(d.balance_cents) filter (where d.due_on < ${today}::date) as overdue_cents,
      min(d.due_on) filter (where d.due_on < ${today}::date) as overdue_since
    from debits d
    where d.network_id = ${networkId} and d.attorney_id = a.id and d.balance_cents > 0) as owed on true`;

/** What a report shows, added up once for all attorneys. */
const withSumsOfAll = ({ networkId, today }: ListContext) => sql`${withNames}
  left join (
    select attorney_id, count(*) as enrolments from enrolments
    where network_id = ${networkId} and archived_at is null group by attorney_id
  ) as enrolled on enrolled.attorney_id = a.id
  left join (
    select attorney_id, sum(balance_cents) as balance_cents, sum(pending_cents) as pending_cents,
      sum(balance_cents) filter (where due_on < ${today}::date) as overdue_cents,
      min(due_on) filter (where due_on < ${today}::date and balance_cents > 0) as overdue_since
    from debits where network_id = ${networkId} group by attorney_id
  ) as owed on owed.attorney_id = a.id
  left join (
    select attorney_id, sum(left_cents) as left_cents from credits
    where network_id = ${networkId} and left_cents > 0 group by attorney_id
  ) as held on held.attorney_id = a.id
  left join (
    select attorney_id, count(*) as matters from matters
    where network_id = ${networkId} and status = 'open' group by attorney_id
  ) as referred on referred.attorney_id = a.id`;

const name = sql`a.first_name || ' ' || a.last_name`;
const balance = sql`coalesce(owed.balance_cents, 0)`;
const overdue = sql`coalesce(owed.overdue_cents, 0)`;

export const attorneyRows = rowsOf(attorneys, {
  from: withOwed,
  networkId: sql`a.network_id`,
  key: sql`a.id`,
  columns: {
    name: { value: name, sort: () => personOrder("a") },
    attorney_id: sql`a.id`,
    first_name: sql`a.first_name`,
    last_name: sql`a.last_name`,
    email: { value: sql`a.email`, sort: () => [sql`a.email`] },
    phone: { value: sql`a.phone`, sort: () => [sql`nullif(a.phone, '')`] },
    bar_number: sql`a.bar_number`,
    address_line_1: sql`a.address_line_1`,
    address_line_2: sql`a.address_line_2`,
    address_city: sql`a.address_city`,
    address_region: sql`a.address_region`,
    address_zip: sql`a.address_zip`,
    status: {
      value: ({ today }) => sql`case when a.left_on is not null then 'Left'
        when a.suspended_at is not null then 'Suspended'
        when ${isPaused(today)} then 'On vacation' else 'Active' end`,
      // Active, on vacation, suspended, left.
      sort: ({ today }) => [
        sql`case when a.left_on is not null then 3 when a.suspended_at is not null then 2
          when ${isPaused(today)} then 1 else 0 end`,
      ],
    },
    paused_until: ({ today }) => sql`case when ${isPaused(today)} then a.paused_until end`,
    suspended_on: sql`a.suspended_at`,
    suspension_reason: sql`a.suspension_reason`,
    added_on: sql`a.created_at`,
    has_account: yesOrNo(sql`u.id is not null`),
    subscriptions: sql`coalesce(enrolled.enrolments, 0)`,
    balance,
    overdue,
    pending: sql`coalesce(owed.pending_cents, 0)`,
    credit: sql`coalesce(held.left_cents, 0)`,
    open_referrals: sql`coalesce(referred.matters, 0)`,
    firm: sql`f.name`,
    overdue_since: sql`owed.overdue_since`,
    last_signed_in_on: sql`u.last_signed_in_at`,
    left_on: sql`a.left_on`,
  },
  filters: {
    search: (search) => matchesSearch(sql`a.search_text`, search),
    status: (status, { today }) =>
      ({
        active: sql`not ${isPaused(today)} and a.suspended_at is null`,
        paused: isPaused(today),
        suspended: sql`a.suspended_at is not null`,
        left: sql`a.left_on is not null`,
      })[status],
    // Same bounds as receivables aging: 90 days still belong to 61–90.
    owes: (days, { today }) => sql`exists (
      select from debits d where d.network_id = a.network_id and d.attorney_id = a.id and d.balance_cents > 0
        and ${days === "any" ? sql`true` : sql`d.due_on < ${daysAfter(today, -Number(days))}::date`})`,
    plan_id: (id) => sql`exists (
      select from enrolments e where e.network_id = a.network_id and e.plan_id = ${id}
        and e.attorney_id = a.id and e.archived_at is null)`,
    firm_id: (id) => sql`a.firm_id = ${id}`,
    signed_in: () => sql`not exists (
      select from users s where s.network_id = a.network_id and s.attorney_id = a.id
        and s.last_signed_in_at is not null)`,
    email: () => isEmailRefused,
    ids: (ids) => sql`a.id = any(string_to_array(${ids}, ',')::bigint[])`,
  },
  always: ({ status, ids }) => status !== "left" && ids === undefined && sql`a.left_on is null`,
  refuse: async (tx, admin, { ids }) => {
    if (ids) await refuseUnknownAttorneys(tx, admin, ids.split(",").map(Number));
  },
  usual: () => personOrder("a").map((value) => ({ value })),
  item: ({ today }) =>
    shapeJson(PanelRow, {
      id: sql`a.id`,
      name,
      email: sql`a.email`,
      phone: sql`a.phone`,
      pausedUntil: sql`a.paused_until`,
      paused: isPaused(today),
      suspended: sql`a.suspended_at is not null`,
      leftOn: sql`a.left_on`,
      firm: jsonWhere(
        sql`f.id is not null`,
        tableJson(PanelRow.shape.firm.unwrap(), "firms as f", {}),
      ),
      balance: sql`${balance}::bigint`,
      overdue: sql`${overdue}::bigint`,
      overdueSince: sql`owed.overdue_since`,
      lastSignedInAt: sql`u.last_signed_in_at`,
    }),
  report: {
    from: withSumsOfAll,
    times: {},
    usually: sql`a.left_on is null`,
    order: byPerson("a"),
  },
});
