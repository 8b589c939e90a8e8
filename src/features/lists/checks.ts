import { sql } from "kysely";
import type { z } from "zod";
import { centsFromDollars, cleanAmount } from "#domain/money.ts";
import { containsText, matchesSearch } from "#db/text-search.ts";
import type { listChecks } from "#features/checks/contract.ts";
import { allOf, type ListContext, type Sql } from "#list/list-context.ts";

type Wanted = Omit<z.output<typeof listChecks.query>, "page" | "per_page" | "sort">;

/** Whether a received check (alias `k`) is one of the list. A check is an attorney's who pays it or for whom it pays. */
export function isListedCheck({ networkId }: ListContext, wanted: Wanted): Sql {
  const { status, search, attorney_id, firm_id, from, to, deposited } = wanted;
  return allOf([
    sql`k.network_id = ${networkId}`,
    status && sql`k.status = ${status}`,
    firm_id && sql`k.firm_id = ${firm_id}`,
    attorney_id &&
      sql`k.id in (select y.received_check_id from payments y
        where y.network_id = ${networkId} and y.attorney_id = ${attorney_id})`,
    from && sql`k.received_on >= ${from}`,
    to && sql`k.received_on <= ${to}`,
    deposited && (deposited === "true" ? sql`k.deposit_id is not null` : sql`k.deposit_id is null`),
    search && sql`k.id in (${foundBySearch(networkId, search)})`,
  ]);
}

/**
 * The checks that a search finds: by a part of the number, by the amount, or by every word in the name
 * of who pays or for whom it pays. Names are looked up first, by their index.
 */
function foundBySearch(networkId: number, search: string): Sql {
  const amount = centsFromDollars(cleanAmount(search));
  const name = sql<string>`folded(first_name || ' ' || last_name)`;
  const number = containsText(sql`lower(c.check_number)`, search.toLowerCase());
  return sql`
    with lawyers as materialized (
      select id from attorneys where network_id = ${networkId}
        and ${matchesSearch(sql`search_text`, search)} and ${matchesSearch(name, search)}
    )
    select c.id from received_checks c
    where c.network_id = ${networkId} and (${number} or c.amount_cents = ${amount}::bigint)
    union select c.id from received_checks c join firms f on f.network_id = c.network_id and f.id = c.firm_id
    where c.network_id = ${networkId} and ${matchesSearch(sql`f.search_text`, search)}
      and ${matchesSearch(sql`folded(f.name)`, search)}
    union select paid.received_check_id from lawyers cross join lateral (
      select y.received_check_id from payments y
      where y.network_id = ${networkId} and y.attorney_id = lawyers.id and y.received_check_id is not null
      offset 0 -- by the index, whatever the number of lawyers is taken for
    ) as paid`;
}
