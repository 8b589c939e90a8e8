import { sql } from "kysely";
import { personOrder } from "#kit/db/sort.ts";
import { matchesSearch } from "#kit/db/text-search.ts";
import { attorneyCells } from "#panel/attorney-columns.rows.ts";
import { matters } from "#referrals/matters/matters.list.ts";
import { isOverdue } from "#referrals/suspension/rule.ts";
import { yesOrNo } from "#kit/list/report.ts";
import { rowsOf } from "#kit/list/rows-of.ts";

/** A matter (alias `m`) with its attorney. */
const withAttorney = sql`matters m
  left join attorneys a on a.network_id = m.network_id and a.id = m.attorney_id`;

/** The same with its newest status report, if any. */
export const withLastReport = sql`${withAttorney} left join lateral (
    select r.outcome, r.filed_on, r.fee_cents from matter_reports r
    where r.network_id = m.network_id and r.matter_id = m.id order by r.id desc limit 1
  ) as last_report on true`;

export const clientCells = {
  matter_id: sql`m.id`,
  first_name: sql`m.first_name`,
  last_name: { value: sql`m.last_name`, sort: () => personOrder("m"), isNeverNull: true },
  phone: sql`m.phone`,
  email: sql`m.email`,
};

export const lastReportCells = {
  last_outcome: sql`case last_report.outcome when 'consulted' then 'Consulted'
    when 'retained' then 'Retained' when 'could_not_reach' then 'Could not reach'
    when 'not_retained' then 'Not retained' when 'closed' then 'Closed' end`,
  last_filed_on: sql`last_report.filed_on`,
};

export const matterRows = rowsOf(matters, {
  from: withAttorney,
  networkId: sql`m.network_id`,
  key: sql`m.id`,
  columns: {
    ...clientCells,
    address_line_1: sql`m.address_line_1`,
    address_line_2: sql`m.address_line_2`,
    address_city: sql`m.address_city`,
    address_region: sql`m.address_region`,
    address_zip: sql`m.address_zip`,
    contact_preference: sql`case m.contact_preference when 'phone' then 'Phone' when 'email' then 'Email'
      else 'Phone or email' end`,
    followup_consent: yesOrNo(sql`m.followup_consent`),
    status: { value: sql`initcap(m.status)`, sort: () => [sql`m.status`] },
    ...attorneyCells,
    submitted_on: sql`m.submitted_at`,
    referred_on: sql`m.referred_at`,
    closed_on: sql`m.closed_at`,
    report_due_on: sql`m.report_due_on`,
    ...lastReportCells,
    fees: sql`(select coalesce(sum(r.fee_cents), 0) from matter_reports r
      where r.network_id = m.network_id and r.matter_id = m.id)`,
    note: sql`m.note`,
    reference: sql`m.reference`,
  },
  filters: {
    search: (search) => matchesSearch(sql`m.search_text`, search),
    attorney_id: (id) => sql`m.attorney_id = ${id}`,
    status: (status) => sql`m.status = ${status}`,
    report: (_, { today }) => isOverdue(today),
  },
  usual: ({ report }) =>
    report === "overdue"
      ? [{ value: sql`m.report_due_on` }]
      : [{ value: sql`m.id`, isDescending: true, isNeverNull: true }],
  isReadInOrder: ({ search }) => !search,
  report: {
    from: withLastReport,
    times: {
      submitted_at: { instant: sql`m.submitted_at` },
      referred_at: { instant: sql`m.referred_at` },
      closed_at: { instant: sql`m.closed_at` },
    },
    attorneyId: sql`m.attorney_id`,
    order: sql`m.id`,
  },
});
