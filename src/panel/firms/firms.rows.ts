import { sql } from "kysely";
import { asSorted } from "#kit/db/sort.ts";
import { matchesSearch } from "#kit/db/text-search.ts";
import { firms } from "#panel/firms/firms.list.ts";
import { firmJson } from "#panel/firms/firms.ts";
import { rowsOf } from "#kit/list/rows-of.ts";

/** Each firm (alias `f`) with its lawyers' count, balance and credit (alias `sums`). */
const withSums = sql`firms f left join lateral (
    select count(*) as lawyers,
      sum((select sum(d.balance_cents) from debits d
        where d.network_id = a.network_id and d.attorney_id = a.id)) as balance_cents,
      sum((select sum(c.left_cents) from credits c
        where c.network_id = a.network_id and c.attorney_id = a.id and c.left_cents > 0)) as credit_cents
    from attorneys a where a.network_id = f.network_id and a.firm_id = f.id) as sums on true`;

/** The same for all firms together. */
const withSumsOfAll = (networkId: number) => sql`firms f
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

export const firmRows = rowsOf(firms, {
  from: withSums,
  networkId: sql`f.network_id`,
  key: sql`f.id`,
  columns: {
    firm_id: sql`f.id`,
    name: sql`f.name`,
    billing_email: sql`f.billing_email`,
    lawyers: sql`coalesce(sums.lawyers, 0)`,
    balance: sql`coalesce(sums.balance_cents, 0)`,
    credit: sql`coalesce(sums.credit_cents, 0)`,
  },
  filters: {
    search: (search) => sql`(${matchesSearch(sql`f.search_text`, search)} or exists (
      select from attorneys a where a.network_id = f.network_id and a.firm_id = f.id
        and ${matchesSearch(sql`a.search_text`, search)}))`,
  },
  usual: () => [{ value: asSorted(sql`f.name`) }],
  item: firmJson,
  report: {
    from: ({ networkId }) => withSumsOfAll(networkId),
    times: {},
    order: sql`${asSorted(sql`f.name`)}, f.id`,
  },
});
