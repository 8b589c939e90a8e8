import { sql } from "kysely";
import { debitName, debitNames } from "#kit/db/debit-names.ts";
import { moneyText } from "#kit/db/money-text.ts";
import type { Sql } from "#kit/list/list-context.ts";

/*
 * A change of many attorneys leaves one audit entry that names none of them. Its attorneys are derived from their
 * records: a debit names its billing run or charge, an enrolment made with others its batch. An enrolment ended by an
 * archive has the entry's instant, since both have the transaction's; so has one made by Subscribe all before batches.
 */

const subscribedMany = sql`('subscribed all', 'subscribed several')`;
const undidBatch = sql`('undid Subscribe all', 'undid subscribing several')`;

/** Whether the entry of a Subscribe all or another batch made an enrolment. */
const madeEnrolment = (entry: Sql, enrolment: Sql) => sql`
  coalesce((${entry}.after ->> 'batchId')::bigint = ${enrolment}.batch_id,
    ${entry}.created_at = ${enrolment}.created_at)`;

/** The entries of bulk changes that touched an attorney, by their ids. */
export const bulkEntryIdsOf = (networkId: number, attorneyId: number) => sql`
  select e.id from enrolments n
  join audit_entries e on e.network_id = n.network_id and e.record_type = 'plan'
    and e.record_id = n.plan_id and (
      (e.action in ${subscribedMany} and ${madeEnrolment(sql`e`, sql`n`)})
      or (e.action = 'archived' and e.created_at = n.archived_at)
      or (e.action in ${undidBatch} and (e.after ->> 'batchId')::bigint = n.batch_id))
  where n.network_id = ${networkId} and n.attorney_id = ${attorneyId}
  union all
  select e.id from (
    select distinct billing_run_id from debits
    where network_id = ${networkId} and attorney_id = ${attorneyId} and billing_run_id is not null
  ) as billed
  join audit_entries e on e.network_id = ${networkId} and e.record_type = 'billing run'
    and e.record_id = billed.billing_run_id
  union all
  select e.id from debits d
  join audit_entries e on e.network_id = d.network_id and e.record_type = 'charge'
    and e.record_id = d.charge_id
  where d.network_id = ${networkId} and d.attorney_id = ${attorneyId} and d.charge_id is not null`;

const shownDebits = 12;

/** What entries of bulk changes (`which`: their ids) did to one attorney: `id`, `action`, `before` and `after`. */
export const narrowedTo = (networkId: number, attorneyId: number, which: Sql) => sql`
  select e.id,
    case e.action when 'subscribed all' then 'enrolled by Subscribe all'
      when 'subscribed several' then 'enrolled with others'
      when 'archived' then 'unsubscribed by archiving'
      when 'undid Subscribe all' then 'unsubscribed by undoing Subscribe all'
      when 'undid subscribing several' then 'unsubscribed by undo' else e.action end as action,
    case when (e.action = 'archived' or e.action in ${undidBatch}) then jsonb_build_object('archived', false) end as before,
    jsonb_strip_nulls(jsonb_build_object(
      'startDate', enrolled.start_date,
      'note', case e.record_type when 'charge' then e.after ->> 'note' else enrolled.note end,
      'archived', case when (e.action = 'archived' or e.action in ${undidBatch}) then true end,
      'reversed', taken.amount,
      'amount', made.amount, 'debits', made.debits,
      'paidFromCredit', made.paid_from_credit)) as after
  from audit_entries e
  left join lateral (
    select n.start_date, n.note from enrolments n
    where e.action in ${subscribedMany} and n.network_id = e.network_id
      and n.attorney_id = ${attorneyId} and n.plan_id = e.record_id and ${madeEnrolment(sql`e`, sql`n`)}
    limit 1
  ) as enrolled on true
  left join lateral (${debitsOf(attorneyId)}) as made on true
  left join lateral (
    select dollars(-sum(l.owed_cents)::bigint) as amount
    from enrolments n
    join debits d on d.network_id = n.network_id and d.enrolment_id = n.id
    join entries l on l.network_id = d.network_id and l.debit_id = d.id
      and l.cause <> 'charge' and l.cause = 'adjustment' and l.created_at = e.created_at
    where e.action in ${undidBatch} and n.network_id = e.network_id
      and n.attorney_id = ${attorneyId} and n.batch_id = (e.after ->> 'batchId')::bigint
    having count(*) > 0
  ) as taken on true
  where e.network_id = ${networkId} and e.id in (${which})`;

/** An attorney's debits made by an entry `e`: the total, and the first ones separately. */
const debitsOf = (attorneyId: number) => sql`
  select dollars(sum(amount_cents)::bigint) as amount,
    case when count(*) > ${shownDebits} then
      (array_agg(words order by due_on, id))[1:${shownDebits}]
        || ('and ' || count(*) - ${shownDebits} || ' more')
    else array_agg(words order by due_on, id) end as debits,
    dollars(sum(credit_cents)::bigint) as paid_from_credit
  from (
    select d.id, d.due_on, d.amount_cents, (
        select sum(x.amount_cents) from entries x
        where x.network_id = d.network_id and x.debit_id = d.id and x.credit_id is not null
          and x.cause = 'credit_applied' and x.note = 'automatically') as credit_cents,
      ${moneyText(sql`d.amount_cents`)} || ' for ' || ${debitName} || ', due '
        || to_char(d.due_on, 'MM/DD/YYYY') as words
    from (
      select e.network_id, e.action, e.record_type, e.record_id, e.created_at, e.after
    ) as entry
    join debits d on d.network_id = entry.network_id and d.attorney_id = ${attorneyId} ${debitNames}
    where case entry.record_type
      when 'billing run' then d.billing_run_id = entry.record_id
      when 'charge' then d.charge_id = entry.record_id
      else d.billing_run_id is null and p.id = entry.record_id and d.created_at = entry.created_at
        and entry.action not in ${undidBatch}
        and (entry.action not in ${subscribedMany} or ${madeEnrolment(sql`entry`, sql`e`)}) end
  ) as debits_made
  having count(*) > 0`;
