import { sql } from "kysely";
import { actionTitle, changesText, recordLabels } from "#features/activity/shapes.ts";
import { listActivity } from "#features/activity/contract.ts";
import { reportLabels } from "#features/exports/export-types.ts";
import { listExports } from "#list/reports-contract.ts";
import { dayOf, type ExportDefinition, text, timeOf } from "#list/report.ts";
import { attorneyColumns } from "#features/exports/shared-columns.ts";
import { wordsOf } from "#features/lists/shapes.ts";
import { ofList } from "#list/report-filters.ts";
import { changeColumns, isListedChange, withRecord } from "#features/lists/activity.ts";
import { isListedExport } from "#features/lists/exports.ts";

/*
 * The reports of what the office itself does: who changed what, and which reports were ordered.
 */

export const activity: ExportDefinition = {
  value: "activity",
  label: "Activity",
  description: "Who changed what and when, one row a change, in the words of the screen.",
  columns: [
    { value: "change_id", label: "Change ID", cell: sql`e.id` },
    { value: "changed_at", label: "When", cell: timeOf(sql`e.created_at`) },
    { value: "who", label: "Who", cell: text(sql`e.actor_name`) },
    { value: "what", label: "What", cell: changeColumns.action, words: actionTitle },
    {
      value: "record_kind",
      label: "Record",
      cell: sql`e.record_type`,
      words: (kind) => recordLabels[kind] ?? kind,
    },
    { value: "record_id", label: "Record ID", cell: sql`e.record_id` },
    {
      value: "record_name",
      label: "Name",
      tooltip: "What the record is called when the report is made",
      cell: text(changeColumns.recordName),
    },
    ...attorneyColumns,
    {
      value: "changes",
      label: "Changes",
      tooltip: "Each field, as it was and as it became",
      cell: sql`jsonb_build_array(${changeColumns.before}, ${changeColumns.after})`,
      words: (json, { timeZone }) => {
        const [before, after] = JSON.parse(json) as [unknown, unknown]; // as the cell builds it
        return changesText(before, after, timeZone);
      },
    },
  ],
  hasChoice: true,
  filters: [],
  timeFilterPermissions: "either",
  timeFilterModes: [],
  createdAt: sql`e.created_at`,
  ofList: ofList(wordsOf("activity"), listActivity, isListedChange),
  // Where somebody signed in, and from which address, is for who looks for it.
  usually: sql`e.record_type <> 'sign-in'`,
  rows: ({ networkId, filters }) =>
    sql`from audit_entries e ${withRecord({
      networkId,
      attorneyId: Number(filters["attorney_id"]) || undefined,
      reportLabels: reportLabels(),
    })} where e.network_id = ${networkId}`,
  order: sql`e.id desc`,
};

export const reports: ExportDefinition = {
  value: "reports",
  label: "Reports",
  description: "The reports that were ordered and are kept still, and what became of each.",
  columns: [
    { value: "report_id", label: "Report ID", cell: sql`x.id` },
    {
      value: "report",
      label: "Report",
      cell: sql`x.report_type`,
      words: (type) => reportLabels()[type] ?? type,
    },
    {
      value: "list",
      label: "List",
      tooltip: "As it was filtered",
      cell: text(sql`x.filter_words`),
    },
    { value: "first_on", label: "From", cell: sql`x.first_on` },
    { value: "last_on", label: "To", cell: sql`x.last_on` },
    ...attorneyColumns.slice(0, 2),
    { value: "ordered_at", label: "Ordered", cell: timeOf(sql`x.created_at`) },
    { value: "ordered_by", label: "Ordered by", cell: text(sql`x.requested_by`) },
    {
      value: "status",
      label: "Status",
      cell: sql`case when x.is_cancelled then 'Cancelled' when x.status = 'running' then 'Preparing'
        when x.status = 'ready' and x.expires_at <= now() then 'Expired' else initcap(x.status) end`,
    },
    { value: "rows", label: "Rows", cell: sql`case x.status when 'ready' then x.rows_written end` },
    { value: "file_name", label: "File", cell: text(sql`x.file_name`) },
    { value: "failure", label: "Why it failed", cell: text(sql`x.failure_reason`) },
    { value: "kept_until", label: "Kept until", cell: dayOf(sql`x.expires_at`) },
  ],
  hasChoice: true,
  filters: [],
  timeFilterPermissions: "either",
  timeFilterModes: [],
  createdAt: sql`x.created_at`,
  ofList: ofList(wordsOf("reports"), listExports, isListedExport),
  usually: sql`x.removed_at is null`,
  rows: ({ networkId }) => sql`from data_exports x
    left join attorneys a on a.network_id = x.network_id and a.id = x.attorney_id
    where x.network_id = ${networkId}`,
  order: sql`x.id desc`,
};
