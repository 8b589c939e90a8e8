import { sql } from "kysely";
import { matchesSearch } from "#db/text-search.ts";
import { allOf, type ListContext, type Sql } from "#list/list-context.ts";

/** How many lawyers each firm (alias `f`) has, what they owe and hold in credit: `sums`. */
export const firmSums = sql`
  cross join lateral (
    select count(*) as lawyers,
      coalesce(sum((select sum(d.balance_cents) from debits d
        where d.network_id = a.network_id and d.attorney_id = a.id)), 0)::bigint as balance_cents,
      coalesce(sum((select sum(c.left_cents) from credits c
        where c.network_id = a.network_id and c.attorney_id = a.id and c.left_cents > 0)), 0)::bigint as credit_cents
    from attorneys a where a.network_id = f.network_id and a.firm_id = f.id) as sums`;

/** The same for all firms at once, outer joined: null for one without lawyers. */
export const sumsOfAllFirms = (networkId: number) => sql`
  left join (
    select a.firm_id, count(*) as lawyers, sum(owed.cents) as balance_cents, sum(held.cents) as credit_cents
    from attorneys a
    left join (
      select attorney_id, sum(balance_cents) as cents from debits
      where network_id = ${networkId} group by attorney_id
    ) as owed on owed.attorney_id = a.id
    left join (
      select attorney_id, sum(left_cents) as cents from credits
      where network_id = ${networkId} and left_cents > 0 group by attorney_id
    ) as held on held.attorney_id = a.id
    where a.network_id = ${networkId} and a.firm_id is not null group by a.firm_id
  ) as sums on sums.firm_id = f.id`;

/** Whether a firm (alias `f`) is one of the list: by its name, billing email or one of its attorneys. */
export function isListedFirm({ networkId }: ListContext, { search }: { search: string }): Sql {
  return allOf([
    sql`f.network_id = ${networkId}`,
    search &&
      sql`(${matchesSearch(sql`f.search_text`, search)} or exists (
        select from attorneys a where a.network_id = f.network_id and a.firm_id = f.id
          and ${matchesSearch(sql`a.search_text`, search)}))`,
  ]);
}
