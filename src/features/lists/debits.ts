import { sql } from "kysely";
import type { z } from "zod";
import { daysAfter } from "#domain/day.ts";
import { matchesSearch } from "#db/text-search.ts";
import type { listDebits } from "#features/ledger/contract.ts";
import { allOf, type ListContext, type Sql } from "#features/lists/list-context.ts";

type Wanted = Omit<z.output<typeof listDebits.query>, "page" | "per_page" | "sort">;

/** Whether a debit (alias `d`) is one of the list. */
export function isListedDebit({ networkId, today }: ListContext, wanted: Wanted): Sql {
  const { state, min_days, search, attorney_id, firm_id, plan_id } = wanted;
  return allOf([
    sql`d.network_id = ${networkId}`,
    state === "paid" ? sql`d.balance_cents = 0` : sql`d.balance_cents > 0`,
    state === "overdue" && sql`d.due_on < ${today}::date`,
    min_days && sql`d.due_on <= ${daysAfter(today, -min_days)}::date`,
    attorney_id && sql`d.attorney_id = ${attorney_id}`,
    firm_id &&
      sql`d.attorney_id in (
        select id from attorneys where network_id = ${networkId} and firm_id = ${firm_id})`,
    plan_id &&
      sql`exists (select from enrolments e where e.network_id = d.network_id
        and e.id = d.enrolment_id and e.plan_id = ${plan_id})`,
    search && sql`d.id in (${foundBySearch(networkId, search)})`,
  ]);
}

/** Debits whose attorney has every word, or whose plan or charge has. */
function foundBySearch(networkId: number, search: string): Sql {
  return sql`
    select o.id from debits o join attorneys a on a.network_id = o.network_id and a.id = o.attorney_id
    where o.network_id = ${networkId} and ${matchesSearch(sql`a.search_text`, search)}
    union select o.id from debits o
      join enrolments e on e.network_id = o.network_id and e.id = o.enrolment_id
      join plans p on p.network_id = e.network_id and p.id = e.plan_id
    where o.network_id = ${networkId} and ${matchesSearch(sql`folded(p.name)`, search)}
    union select o.id from debits o join charges c on c.network_id = o.network_id and c.id = o.charge_id
    where o.network_id = ${networkId} and ${matchesSearch(sql`folded(c.name)`, search)}`;
}
