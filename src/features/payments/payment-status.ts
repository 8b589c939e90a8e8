import { sql } from "kysely";
import type { Sql } from "#list/list-context.ts";

/**
 * The status of a payment (alias `y`; `k` its check, outer joined) by the statuses of its shares: those of
 * a card are decided together, those of a check one by one: pending while any is. Its credit is received with the
 * check unless all of that is denied: then it counts as an approved share, and alone has what became of the check.
 */
export const paymentStatus = (statuses: Sql) => sql`case
  when y.method = 'online' then case ${statuses}[1]
    when 'pending' then 'processing' when 'approved' then 'paid' when 'denied' then 'declined'
    else ${statuses}[1] end
  when ${statuses} is null then case k.status when 'mixed' then 'approved' else k.status end
  when 'pending' = any(${statuses}) then 'pending'
  when 'approved' = any(${statuses}) or y.credit_cents > 0 and k.status in ('approved', 'mixed') then 'approved'
  when y.credit_cents > 0 and k.status in ('pending', 'returned') then k.status
  when 'refunded' = any(${statuses}) then 'refunded'
  when 'returned' = any(${statuses}) then 'returned'
  else 'denied' end`;
