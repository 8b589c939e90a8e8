import { sql } from "kysely";
import type { Sql } from "#kit/list/list-context.ts";

/** How a card payment (alias `c`) of an amount stands, by what is received of it. */
export const statusOfCard = (amount: Sql) => sql`case
  when c.state = 'captured' and c.received_cents < ${amount} then 'partly refunded'
  when c.state = 'captured' then 'paid' else replace(c.state, '_', ' ') end`;

/**
 * The status of a payment (alias `y`; `k` its check, `c` its card side, outer joined): of a card by what is received of it,
 * of a check by the statuses of its shares, which are decided one by one: pending while any is. Its credit is received with the
 * check unless all of that is denied: then it counts as an approved share, and alone has what became of the check.
 */
export const paymentStatus = (statuses: Sql) => sql`case
  when y.method = 'online' then ${statusOfCard(sql`y.amount_cents`)}
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
 * What has gone of a card payment (alias `y`, `c` its card side, outer joined), by its transactions: in cents `refunded`,
 * `charged_back` and `failed`, without what counts again, and the days of the last. What counts again is of what came
 * to nothing last: a refund, or a sale that was not collected.
 */
export const wentOfCard = sql`
  cross join lateral (
    select coalesce(sum(case t.kind when 'refund' then t.amount_cents
        when 'purchase' then case t.undone when 'refund' then -t.amount_cents end end), 0)::bigint as refunded,
      coalesce(sum(case t.kind when 'chargeback' then t.amount_cents when 'chargeback_reversed' then -t.amount_cents end), 0)::bigint
        as charged_back,
      coalesce(sum(case t.kind when 'failed' then t.amount_cents
        when 'purchase' then case t.undone when 'failed' then -t.amount_cents end end), 0)::bigint as failed,
      max(t.happened_on) filter (where t.kind = 'refund') as refunded_on,
      max(t.happened_on) filter (where t.kind = 'chargeback') as charged_back_on
    from (
      select t.*, (
        select before.kind from card_transactions before
        where before.network_id = t.network_id and before.payment_id = t.payment_id and before.id < t.id
          and before.kind in ('refund', 'failed') order by before.id desc limit 1) as undone
      from card_transactions t
      where t.network_id = y.network_id and t.payment_id = y.id and c.received_cents < y.amount_cents) as t
  ) as went`;

/**
 * What became of a payment (alias `y`; `k` its check, `later` what of it was credited later, both outer joined) by
 * `together`, the `statuses` of its shares and what of them was `denied` and `approved`. Its `shares` have the
 * `status`, in cents the part that was `denied` of one that was not denied whole, what counts already of one whose status
 * does not say so (`approved`), and its `credit`; what has gone again of a card is `went` (`wentOfCard`); `counted` has
 * what was `received` and still counts. Source: book rule 12.
 */
export const paymentParts = sql`
  ${wentOfCard}
  cross join lateral (select ${paymentStatus(sql`together.statuses`)} as status,
    -- A firm's check may have brought one attorney what was denied of another's: that is no part of this payment.
    least(coalesce(later.cents, 0), coalesce(together.denied, 0))::bigint as credited) as became
  cross join lateral (select became.status,
    case when became.status in ('denied', 'declined') then 0
      else coalesce(together.denied, 0) - became.credited end::bigint as denied,
    case became.status when 'pending' then coalesce(together.approved, 0)
      when 'denied' then became.credited else 0 end::bigint as approved, y.credit_cents + became.credited as credit) as shares
  cross join lateral (select case when y.method = 'online' then c.received_cents
    when shares.status = 'approved' then y.amount_cents - shares.denied else shares.approved end as received) as counted`;
