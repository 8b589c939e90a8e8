import { sql } from "kysely";
import { moneyText } from "#kit/db/money-text.ts";
import { activity } from "#office/activity/activity.list.ts";
import { bulkEntryIdsOf, narrowedTo } from "#office/activity/bulk-audit-entries.ts";
import { recordName } from "#office/activity/record-names.ts";
import { actionTitle, changesText, recordLabels } from "#office/activity/shapes.ts";
import { attorneyCells } from "#panel/attorney-columns.rows.ts";
import { reportLabels } from "#kit/list/offered-reports.ts";
import { allOf, type Sql, withinDays } from "#kit/list/list-context.ts";
import { rowsOf } from "#kit/list/rows-of.ts";

/**
 * The joins of an audit entry (alias `e`): its `record`, the record's attorney `a`, and in `own` what a bulk change did
 * to the attorney whose list it is, only for `ids` if given.
 */
export function withRecord({
  networkId,
  attorneyId,
  ids,
}: {
  networkId: number;
  attorneyId?: number | undefined;
  ids?: number[];
}): Sql {
  const own = attorneyId
    ? narrowedTo(networkId, attorneyId, bulkIds(networkId, attorneyId, ids))
    : sql`select null::bigint as id, null::text as action, null::jsonb as before, null::jsonb as after`;
  return sql`
    left join lateral (${recordName(reportLabels())}) as record on true
    left join attorneys a on a.network_id = e.network_id and a.id = record.attorney_id
    left join (${own}) as own on own.id = e.id`;
}

const bulkIds = (networkId: number, attorneyId: number, ids: number[] | undefined): Sql => {
  const bulk = bulkEntryIdsOf(networkId, attorneyId);
  return ids ? sql`select id from (${bulk}) as bulk where id = any(${ids}::bigint[])` : bulk;
};

/** What an entry says, and of which record. A deleted record's name is only in the entry. */
export const changeColumns = {
  action: sql`coalesce(own.action, e.action)`,
  before: sql`case when own.id is null then e.before else own.before end`,
  after: sql`case when own.id is null then e.after else own.after end`,
  recordName: sql`coalesce(record.name, case e.record_type when 'user' then e.before ->> 'name'
    when 'unapplied payment' then 'Charge of ' || ${moneyText(sql`((e.after ->> 'amount')::numeric * 100)::bigint`)} end)`,
};

const isChange = sql`e.record_type <> 'sign-in'`;

/**
 * Whether an entry is about an attorney: the record, its account, what belongs to it, or a bulk change that touched
 * it. A referral belongs to each attorney for the time they had it, and its earlier history to the first one. Read
 * once, as an array: right after an import, PostgreSQL underestimates a network's entries and would read them for each
 * of ten thousand rows.
 */
const isAbout = (networkId: number, attorneyId: number) => sql`
  e.id = any(array(
    select o.id from (
      select ${networkId}::bigint as network_id, 'attorney' as kind, ${attorneyId}::bigint as id,
        '-infinity'::timestamptz as since, 'infinity'::timestamptz as until
      union all
      select r.network_id, 'matter', r.matter_id,
        case when exists (select from matter_referrals earlier
          where earlier.network_id = r.network_id and earlier.matter_id = r.matter_id and earlier.id < r.id)
          then r.referred_at else '-infinity' end,
        case when r.ended in ('reassigned', 'withdrawn') then r.ended_at else 'infinity' end
      from matter_referrals r
      where r.network_id = ${networkId} and r.attorney_id = ${attorneyId}
      union all
      select network_id, kind, id, '-infinity', 'infinity' from (
        select 'user' as kind, network_id, attorney_id, id from users
        union all select 'sign-in', network_id, attorney_id, id from users
        union all select 'enrolment', network_id, attorney_id, id from enrolments
        union all select 'debit', network_id, attorney_id, id from debits
        union all select 'payment', network_id, attorney_id, id from payments
        union all select 'received check', network_id, attorney_id, received_check_id from payments
          where received_check_id is not null
      ) as owned
      where owned.network_id = ${networkId} and owned.attorney_id = ${attorneyId}
    ) as records
    join lateral (
      select id, created_at from audit_entries
      where network_id = records.network_id and record_type = records.kind and record_id = records.id
      offset 0 -- so that PostgreSQL looks up each record, not all entries of a network
    ) as o on o.created_at between records.since and records.until
    union all ${bulkEntryIdsOf(networkId, attorneyId)}))`;

/** Whether an entry is about a received check, or about one of its payments. */
const isAboutCheck = (networkId: number, checkId: number) => sql`
  e.id in (
    select o.id from (
      select 'received check' as kind, ${checkId}::bigint as id
      union all
      select 'payment', id from payments
      where network_id = ${networkId} and received_check_id = ${checkId}
    ) as records
    join audit_entries o on o.network_id = ${networkId} and o.record_type = records.kind
      and o.record_id = records.id)`;

export const activityRows = rowsOf(activity, {
  from: sql`audit_entries e`,
  networkId: sql`e.network_id`,
  key: sql`e.id`,
  columns: {
    change_id: sql`e.id`,
    changed_at: { value: sql`e.created_at`, sort: () => [sql`e.id`], isNeverNull: true },
    who: sql`e.actor_name`,
    what: { value: changeColumns.action, words: actionTitle },
    record_kind: { value: sql`e.record_type`, words: (kind) => recordLabels[kind] ?? kind },
    record_id: sql`e.record_id`,
    record_name: changeColumns.recordName,
    ...attorneyCells,
    changes: {
      value: sql`jsonb_build_array(${changeColumns.before}, ${changeColumns.after})`,
      words: (json, { timeZone }) => {
        const [before, after] = JSON.parse(json) as [unknown, unknown]; // as the cell builds it
        return changesText(before, after, timeZone);
      },
    },
  },
  filters: {
    who: (who) => sql`e.actor_name = ${who}`,
    record_type: () => false,
    record_id: () => false,
    attorney_id: (id, { networkId }) => isAbout(networkId, id),
    from: (from, context) => allOf(withinDays(sql`e.created_at`, { from }, context)),
    to: (to, context) => allOf(withinDays(sql`e.created_at`, { to }, context)),
  },
  always: ({ record_type, record_id }, { networkId }) =>
    record_type === "received check" && record_id
      ? isAboutCheck(networkId, record_id)
      : allOf([
          // Sign-ins change no record.
          record_type ? sql`e.record_type = ${record_type}` : isChange,
          record_id && sql`e.record_id = ${record_id}`,
        ]),
  usual: () => [{ value: sql`e.id`, isDescending: true, isNeverNull: true }],
  isReadInOrder: () => true,
  report: {
    from: ({ networkId, filters }) =>
      sql`audit_entries e ${withRecord({
        networkId,
        attorneyId: Number(filters["attorney_id"]) || undefined,
      })}`,
    times: { created: { instant: sql`e.created_at` } },
    // Sign-ins and their addresses are shown only if asked for.
    usually: isChange,
    order: sql`e.id desc`,
  },
});
