import { sql } from "kysely";
import { matchesSearch } from "#db/text-search.ts";
import { allOf, type ListContext, type Sql } from "#features/lists/list-context.ts";

/** How many lawyers each firm (alias `f`) has, what they owe and hold in credit: `sums`. */
export const firmSums = sql`
  cross join lateral (
    select count(*) as lawyers,
      coalesce(sum((select sum(d.balance_cents) from debits d
        where d.network_id = a.network_id and d.attorney_id = a.id)), 0)::bigint as balance_cents,
      coalesce(sum((select sum(c.left_cents) from credits c
        where c.network_id = a.network_id and c.attorney_id = a.id and c.left_cents > 0)), 0)::bigint as credit_cents
    from attorneys a where a.network_id = f.network_id and a.firm_id = f.id) as sums`;

/** Whether a firm (alias `f`) is one of the list: by its name, billing email or one of its attorneys. */
export function isListedFirm({ networkId }: ListContext, { search }: { search: string }): Sql {
  return allOf([
    sql`f.network_id = ${networkId}`,
    search &&
      sql`(${matchesSearch(sql`lower(f.name || ' ' || f.billing_email)`, search)} or exists (
        select from attorneys a where a.network_id = f.network_id and a.firm_id = f.id
          and ${matchesSearch(sql`a.search_text`, search)}))`,
  ]);
}
