import { sql } from "kysely";
import type { Sql } from "#kit/list/list-context.ts";

/** The status of a card payment (alias `c`), by its amount and what is received of it. */
export const statusOfCard = (amount: Sql) => sql`case
  when c.state = 'captured' and c.received_cents < ${amount} then 'partly refunded'
  when c.state = 'captured' then 'paid' else replace(c.state, '_', ' ') end`;

/**
 * The status of a payment (alias `y`; `k` its check, `c` its card payment, outer joined). A card's status depends on what
 * is received; a check's on its shares' `statuses`: pending while any is pending. Credit counts as an approved share
 * unless the whole check is denied. A payment that is only credit has its check's status.
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

/** The denied, held parts of payments that became credit later: `payment_id` and `cents`. */
export const creditedLater = (networkId: Sql) => sql`(
  select r.payment_id, sum(e.amount_cents)::bigint as cents from entries e
  join credits r on r.network_id = e.network_id and r.id = e.credit_id
  where e.network_id = ${networkId} and 'held' in (e.from_account, e.to_account) and e.cause = 'credit_received'
  group by r.payment_id)`;

/**
 * What a card payment (alias `y`; `c` its card payment, outer joined) lost by its transactions: cents `refunded`,
 * `charged_back` and `failed`, less what was collected again, and the days of the last refund and chargeback. A later
 * purchase cancels the last refund or failure before it.
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
 * The status and amounts of a payment (alias `y`; outer joined: `k` its check, `later` what was credited later), from
 * `together`: the `statuses` of its shares and their `denied` and `approved` cents. `shares` has the `status`; the
 * `denied` part unless all is denied; the `approved` part that already counts although the status is not approved; and
 * the `credit`. `went` is from `wentOfCard`. `counted.received` is what still counts. Source: book rule 12.
 */
export const paymentParts = sql`
  ${wentOfCard}
  cross join lateral (select ${paymentStatus(sql`together.statuses`)} as status,
    -- A firm's check may credit one attorney with another's denied part, which is not part of this payment.
    least(coalesce(later.cents, 0), coalesce(together.denied, 0))::bigint as credited) as became
  cross join lateral (select became.status,
    case when became.status in ('denied', 'declined') then 0
      else coalesce(together.denied, 0) - became.credited end::bigint as denied,
    case became.status when 'pending' then coalesce(together.approved, 0)
      when 'denied' then became.credited else 0 end::bigint as approved, y.credit_cents + became.credited as credit) as shares
  cross join lateral (select case when y.method = 'online' then c.received_cents
    when shares.status = 'approved' then y.amount_cents - shares.denied else shares.approved end as received) as counted`;
