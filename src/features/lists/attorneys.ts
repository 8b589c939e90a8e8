import { sql } from "kysely";
import { daysAfter } from "#domain/day.ts";
import { matchesSearch } from "#db/text-search.ts";
import type { AttorneyFilters } from "#features/attorneys/shapes.ts";
import { isEmailRefused } from "#features/lists/mail.ts";
import { allOf, type ListContext, type Sql } from "#list/list-context.ts";

/** Whether an attorney (alias `a`) is one of the list. `isPaused` says whether `a` is on vacation. */
export function isListedAttorney(
  { networkId, today }: ListContext,
  wanted: AttorneyFilters,
  isPaused: Sql,
): Sql {
  const { status, search, owes, plan_id, firm_id, signed_in, email, ids } = wanted;
  return allOf([
    sql`a.network_id = ${networkId}`,
    status === "left" && sql`a.left_on is not null`,
    status !== "left" && ids === undefined && sql`a.left_on is null`,
    status === "paused" && isPaused,
    status === "suspended" && sql`a.suspended_at is not null`,
    status === "active" && sql`not ${isPaused} and a.suspended_at is null`,
    search && matchesSearch(sql`a.search_text`, search),
    owes &&
      sql`exists (select from debits d where d.network_id = a.network_id and d.attorney_id = a.id
        and d.balance_cents > 0 and ${wasDueLongAgo(owes, today)})`,
    plan_id &&
      sql`exists (select from enrolments e where e.network_id = a.network_id and e.plan_id = ${plan_id}
        and e.attorney_id = a.id and e.archived_at is null)`,
    firm_id && sql`a.firm_id = ${firm_id}`,
    signed_in === "never" &&
      sql`not exists (select from users u where u.network_id = a.network_id and u.attorney_id = a.id
        and u.last_signed_in_at is not null)`,
    email === "refused" && isEmailRefused,
    ids && sql`a.id = any(string_to_array(${ids}, ',')::bigint[])`,
  ]);
}

/** Over 90 days, as the ages of what is owed are counted: 90 days still belong to 61–90. */
const wasDueLongAgo = (days: NonNullable<AttorneyFilters["owes"]>, today: string): Sql =>
  days === "any" ? sql`true` : sql`d.due_on < ${daysAfter(today, -Number(days))}::date`;
