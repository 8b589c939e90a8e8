import { sql } from "kysely";
import type { Sql } from "#list/list-context.ts";

/**
 * The status of a payment (alias `y`; `k` its check, `c` its card side, outer joined): of a card by what is received of it, of a check by
 * the statuses of its shares, which are decided one by one: pending while any is. Its credit is received with the
 * check unless all of that is denied: then it counts as an approved share, and alone has what became of the check.
 */
export const paymentStatus = (statuses: Sql) => sql`case
  when y.method = 'online' then case
    when c.state = 'captured' and c.received_cents < y.amount_cents then 'partly refunded'
    when c.state = 'captured' then 'paid' else replace(c.state, '_', ' ') end
  when ${statuses} is null then case k.status when 'mixed' then 'approved' else k.status end
  when 'pending' = any(${statuses}) then 'pending'
  when 'approved' = any(${statuses}) or y.credit_cents > 0 and k.status in ('approved', 'mixed') then 'approved'
  when y.credit_cents > 0 and k.status in ('pending', 'returned') then k.status
  when 'refunded' = any(${statuses}) then 'refunded'
  when 'returned' = any(${statuses}) then 'returned'
  else 'denied' end`;
