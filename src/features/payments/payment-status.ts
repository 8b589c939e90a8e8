import { sql } from "kysely";
import type { Sql } from "#list/list-context.ts";

/**
 * The status of a payment (alias `y`; `k` its check, `c` its card side, outer joined): of a card by what is received of it,
 * of a check by the statuses of its shares, which are decided one by one: pending while any is. Its credit is received with the
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

/** What of payments' denied parts has become credit later, when it was held: `payment_id` and `cents`. */
export const creditedLater = (networkId: Sql) => sql`(
  select r.payment_id, sum(e.amount_cents)::bigint as cents from entries e
  join credits r on r.network_id = e.network_id and r.id = e.credit_id
  where e.network_id = ${networkId} and 'held' in (e.from_account, e.to_account) and e.cause = 'credit_received'
  group by r.payment_id)`;

/**
 * What became of a payment (alias `y`; `k` its check, `later` what of it was credited later, both outer joined) by
 * `together`, the `statuses` of its shares and what of them was `denied` and `approved`. Its `shares` have the
 * `status`, in cents the part that was `denied` of one that was not denied whole, what counts already of one whose status
 * does not say so (`approved`), its `credit`, and what has gone again of a card (`gone`); `counted` has what was `received` and still counts. Source: book rule 12.
 */
export const paymentParts = sql`
  cross join lateral (select ${paymentStatus(sql`together.statuses`)} as status,
    -- A firm's check may have brought one attorney what was denied of another's: that is no part of this payment.
    least(coalesce(later.cents, 0), coalesce(together.denied, 0))::bigint as credited) as became
  cross join lateral (select became.status,
    case when became.status in ('denied', 'declined') then 0
      else coalesce(together.denied, 0) - became.credited end::bigint as denied,
    case became.status when 'pending' then coalesce(together.approved, 0)
      when 'denied' then became.credited else 0 end::bigint as approved, y.credit_cents + became.credited as credit,
    case became.status when 'partly refunded' then y.amount_cents - c.received_cents else 0 end::bigint as gone) as shares
  cross join lateral (select case when y.method = 'online' then c.received_cents
    when shares.status = 'approved' then y.amount_cents - shares.denied else shares.approved end as received) as counted`;
