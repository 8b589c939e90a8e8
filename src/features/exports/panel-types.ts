import { sql } from "kysely";
import { type Column, dayOf, money, type ExportDefinition, text, yesOrNo } from "#list/report.ts";
import { attorneyColumns } from "#features/exports/shared-columns.ts";
import { wordsOf } from "#features/lists/shapes.ts";
import { ofList } from "#list/report-filters.ts";
import { isListedMatter } from "#features/lists/matters.ts";
import { listMatters } from "#features/matters/contract.ts";
import { isOverdue } from "#features/suspension/rule.ts";

/** The newest status report on the matter (alias `m`), if any. */
const lastReport = sql`left join lateral (
    select r.outcome, r.filed_on, r.fee_cents from matter_reports r
    where r.network_id = m.network_id and r.matter_id = m.id order by r.id desc limit 1
  ) as last_report on true`;

const outcome = sql`case last_report.outcome when 'consulted' then 'Consulted'
  when 'retained' then 'Retained' when 'could_not_reach' then 'Could not reach'
  when 'not_retained' then 'Not retained' when 'closed' then 'Closed' end`;

const clientColumns: Column[] = [
  { value: "matter_id", label: "Referral ID", cell: sql`m.id` },
  { value: "first_name", label: "First name", cell: text(sql`m.first_name`) },
  { value: "last_name", label: "Last name", cell: text(sql`m.last_name`) },
  { value: "phone", label: "Phone", cell: text(sql`m.phone`) },
  { value: "email", label: "Email", cell: text(sql`m.email`) },
];

export const matters: ExportDefinition = {
  value: "matters",
  label: "Referrals",
  description: "Every client's request, to whom it was referred, and what was reported on it.",
  columns: [
    ...clientColumns,
    { value: "address_line_1", label: "Address line 1", cell: text(sql`m.address_line_1`) },
    { value: "address_line_2", label: "Address line 2", cell: text(sql`m.address_line_2`) },
    { value: "address_city", label: "City", cell: text(sql`m.address_city`) },
    { value: "address_region", label: "State", cell: text(sql`m.address_region`) },
    { value: "address_zip", label: "Zip", cell: text(sql`m.address_zip`) },
    {
      value: "contact_preference",
      label: "Contact preference",
      cell: sql`case m.contact_preference when 'phone' then 'Phone' when 'email' then 'Email'
        else 'Phone or email' end`,
    },
    {
      value: "followup_consent",
      label: "Follow-up consent",
      cell: yesOrNo(sql`m.followup_consent`),
    },
    {
      value: "status",
      label: "Status",
      tooltip: "New: not referred yet. Open: with an attorney. Closed: no report is due any more.",
      cell: sql`initcap(m.status)`,
    },
    ...attorneyColumns,
    { value: "submitted_on", label: "Submitted on", cell: dayOf(sql`m.submitted_at`) },
    { value: "referred_on", label: "Referred on", cell: dayOf(sql`m.referred_at`) },
    { value: "closed_on", label: "Closed on", cell: dayOf(sql`m.closed_at`) },
    { value: "report_due_on", label: "Report due on", cell: sql`m.report_due_on` },
    { value: "last_outcome", label: "Last report", cell: outcome },
    { value: "last_filed_on", label: "Last report on", cell: sql`last_report.filed_on` },
    {
      value: "fees",
      label: "Fees reported",
      tooltip: "Of all status reports on the referral, added up",
      cell: money(sql`(select coalesce(sum(r.fee_cents), 0) from matter_reports r
        where r.network_id = m.network_id and r.matter_id = m.id)`),
    },
    { value: "note", label: "Note", cell: text(sql`m.note`) },
    {
      value: "reference",
      label: "Reference",
      tooltip: "What an imported list knows the referral by",
      cell: text(sql`m.reference`),
    },
  ],
  hasChoice: true,
  filters: ["attorneys"],
  timeFilterPermissions: "either",
  timeFilterModes: [
    {
      value: "submitted_at",
      label: "Requests submitted between:",
      filters: { instant: sql`m.submitted_at` },
    },
    {
      value: "referred_at",
      label: "Referrals made between:",
      filters: { instant: sql`m.referred_at` },
    },
    {
      value: "closed_at",
      label: "Referrals closed between:",
      filters: { instant: sql`m.closed_at` },
    },
  ],
  rows: ({ networkId }) => sql`from matters m
    left join attorneys a on a.network_id = m.network_id and a.id = m.attorney_id ${lastReport}
    where m.network_id = ${networkId}`,
  ofList: ofList(wordsOf("matters"), listMatters, (context, wanted) =>
    isListedMatter(context, wanted, isOverdue(context.today)),
  ),
  attorneyId: sql`m.attorney_id`,
  order: sql`m.id`,
};

export const overdueReports: ExportDefinition = {
  value: "overdue_reports",
  label: "Overdue status reports",
  description:
    "The open referrals whose status report was due before the day on which this report is made, the longest overdue first.",
  columns: [
    ...clientColumns,
    ...attorneyColumns,
    { value: "attorney_phone", label: "Attorney phone", cell: text(sql`a.phone`) },
    { value: "referred_on", label: "Referred on", cell: dayOf(sql`m.referred_at`) },
    { value: "report_due_on", label: "Report due on", cell: sql`m.report_due_on` },
    {
      value: "days_overdue",
      label: "Days overdue",
      cell: ({ today }) => sql`${today}::date - m.report_due_on`,
    },
    { value: "last_outcome", label: "Last report", cell: outcome },
    { value: "last_filed_on", label: "Last report on", cell: sql`last_report.filed_on` },
    { value: "suspended_on", label: "Attorney suspended on", cell: dayOf(sql`a.suspended_at`) },
  ],
  hasChoice: false,
  filters: [],
  timeFilterPermissions: "none",
  timeFilterModes: [],
  rows: ({ networkId, today }) => sql`from matters m
    left join attorneys a on a.network_id = m.network_id and a.id = m.attorney_id ${lastReport}
    where m.network_id = ${networkId} and ${isOverdue(today)}`,
  order: sql`m.report_due_on, m.id`,
};
