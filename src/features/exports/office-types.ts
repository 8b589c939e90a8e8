import { sql } from "kysely";
import { reportLabels } from "#features/exports/export-types.ts";
import { listExports } from "#list/reports-contract.ts";
import { dayOf, type ExportDefinition, text, timeOf } from "#list/report.ts";
import { attorneyColumns } from "#features/exports/shared-columns.ts";
import { wordsOf } from "#features/lists/shapes.ts";
import { ofList } from "#list/report-filters.ts";
import { isListedExport } from "#features/lists/exports.ts";

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
