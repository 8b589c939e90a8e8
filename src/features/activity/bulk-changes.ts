import { sql } from "kysely";
import type { Db } from "#db/database.ts";
import { debitName, debitNames } from "#db/debit-names.ts";
import { moneyText } from "#db/money-text.ts";
import type { Activity } from "#features/activity/contract.ts";

/*
 * Changes of many attorneys at once leave one audit entry, which names none of them. Whom they touched
 * is derived from what they left behind: a debit names its billing run or its charge; an enrolment made by Subscribe
 * all, or ended by an archive, bears the instant of that entry, since both are the transaction's.
 */

/** The entries of bulk changes that touched an attorney, by their ids. */
export const bulkEntriesOf = (networkId: number, attorneyId: number) => sql`
  select e.id from enrolments n
  join audit_entries e on e.network_id = n.network_id and e.record_type = 'plan'
    and e.record_id = n.plan_id and (
      (e.action = 'subscribed all' and e.created_at = n.created_at)
      or (e.action = 'archived' and e.created_at = n.archived_at))
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

/** The same entries, with those of bulk changes narrowed to what they did to one attorney. */
export async function describeForAttorney(
  tx: Db,
  networkId: number,
  attorneyId: number,
  entries: Activity[],
): Promise<Activity[]> {
  const ids = entries.filter(isOfMany).map(({ id }) => id);
  if (ids.length === 0) return entries;
  const { rows } = await sql<Pick<Activity, "id" | "action" | "before" | "after">>`
    select e.id,
      case e.action when 'subscribed all' then 'enrolled by Subscribe all'
        when 'archived' then 'unsubscribed by archiving' else e.action end as action,
      case e.action when 'archived' then jsonb_build_object('archived', false) end as before,
      jsonb_strip_nulls(jsonb_build_object(
        'startDate', enrolled.start_date,
        'note', case e.record_type when 'charge' then e.after ->> 'note' else enrolled.note end,
        'archived', case e.action when 'archived' then true end,
        'amount', made.amount, 'debits', made.debits,
        'paidFromCredit', made.paid_from_credit)) as after
    from audit_entries e
    left join lateral (
      select n.start_date, n.note from enrolments n
      where e.action = 'subscribed all' and n.network_id = e.network_id
        and n.attorney_id = ${attorneyId} and n.plan_id = e.record_id and n.created_at = e.created_at
      limit 1
    ) as enrolled on true
    left join lateral (${debitsOf(attorneyId)}) as made on true
    where e.network_id = ${networkId} and e.id = any(${ids}::bigint[])`.execute(tx);
  const described = new Map(rows.map((row) => [row.id, row]));
  return entries.map((entry) => ({ ...entry, ...described.get(entry.id) }));
}

const isOfMany = ({ recordType, action }: Activity) =>
  recordType === "billing run" ||
  recordType === "charge" ||
  (recordType === "plan" && (action === "subscribed all" || action === "archived"));

/** The attorney's debits that an entry `e` made: how much in all, and the first ones one by one. */
const debitsOf = (attorneyId: number) => sql`
  select dollars(sum(amount_cents)::bigint) as amount,
    case when count(*) > ${shownDebits} then
      (array_agg(words order by due_on, id))[1:${shownDebits}]
        || ('and ' || count(*) - ${shownDebits} || ' more')
    else array_agg(words order by due_on, id) end as debits,
    dollars(sum(credit_cents)::bigint) as paid_from_credit
  from (
    select d.id, d.due_on, d.amount_cents, (
        select -sum(x.amount_cents) from credit_entries x
        where x.network_id = d.network_id and x.debit_id = d.id and x.kind = 'applied'
          and x.cause = 'automatically') as credit_cents,
      ${moneyText(sql`d.amount_cents`)} || ' for ' || ${debitName} || ', due '
        || to_char(d.due_on, 'MM/DD/YYYY') as words
    from (select e.network_id, e.record_type, e.record_id, e.created_at) as entry
    join debits d on d.network_id = entry.network_id and d.attorney_id = ${attorneyId} ${debitNames}
    where case entry.record_type
      when 'billing run' then d.billing_run_id = entry.record_id
      when 'charge' then d.charge_id = entry.record_id
      else d.billing_run_id is null and p.id = entry.record_id and d.created_at = entry.created_at end
  ) as debits_made
  having count(*) > 0`;
