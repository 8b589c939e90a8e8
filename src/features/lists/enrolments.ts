import { sql } from "kysely";
import { matchesSearch } from "#db/text-search.ts";
import { allOf, type ListContext, type Sql } from "#list/list-context.ts";

/** What was billed for an enrolment (alias `e`), and what of it is owed: `debited`. */
export const withDebited = sql`
  cross join lateral (
    select coalesce(sum(d.amount_cents), 0)::bigint as billed,
      coalesce(sum(d.balance_cents), 0)::bigint as owed
    from debits d where d.network_id = e.network_id and d.enrolment_id = e.id) as debited`;

/** The same for all enrolments at once, outer joined: null where nothing was billed. */
export const debitedOfAll = (networkId: number) => sql`
  left join (
    select enrolment_id, sum(amount_cents) as billed, sum(balance_cents) as owed from debits
    where network_id = ${networkId} and enrolment_id is not null group by enrolment_id
  ) as debited on debited.enrolment_id = e.id`;

interface Wanted {
  plan_id: number;
  search: string;
  state: "active" | "ended";
}

/** Whether an enrolment (alias `e`, of attorney `a`) is one of a plan's list. */
export function isListedEnrolment({ networkId }: ListContext, wanted: Wanted): Sql {
  const { plan_id, search, state } = wanted;
  return allOf([
    sql`e.network_id = ${networkId}`,
    sql`e.plan_id = ${plan_id}`,
    state === "active" ? sql`e.archived_at is null` : sql`e.archived_at is not null`,
    search && matchesSearch(sql`a.search_text`, search),
  ]);
}
