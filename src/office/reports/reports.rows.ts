import { sql } from "kysely";
import { attorneyCells } from "#panel/attorney-columns.rows.ts";
import { reportLabels } from "#kit/list/offered-reports.ts";
import { reports } from "#kit/list/reports.list.ts";
import { rowsOf } from "#kit/list/rows-of.ts";

/** Reports that need a person, until they are downloaded or prepared again. */
const waiting = {
  ready: sql`(x.status = 'ready' and x.downloaded_at is null and x.expires_at > now())`,
  failed: sql`(x.status = 'failed' and not x.is_cancelled)`,
};

export const reportRows = rowsOf(reports, {
  from: sql`data_exports x
    left join attorneys a on a.network_id = x.network_id and a.id = x.attorney_id`,
  networkId: sql`x.network_id`,
  key: sql`x.id`,
  columns: {
    report_id: sql`x.id`,
    report: { value: sql`x.report_type`, words: (type) => reportLabels()[type] ?? type },
    list: sql`x.filter_words`,
    first_on: sql`x.first_on`,
    last_on: sql`x.last_on`,
    attorney_id: attorneyCells.attorney_id,
    attorney_name: attorneyCells.attorney_name.value,
    ordered_at: sql`x.created_at`,
    ordered_by: sql`x.requested_by`,
    status: {
      value: sql`case when x.is_cancelled then 'Canceled' when x.status = 'running' then 'Preparing'
        when x.status = 'ready' and x.expires_at <= now() then 'Expired' else initcap(x.status) end`,
      sort: () => [sql`x.status`],
    },
    rows: {
      value: sql`case x.status when 'ready' then x.rows_written end`,
      sort: () => [sql`x.rows_written`],
    },
    file_name: sql`x.file_name`,
    failure: sql`x.failure_reason`,
    kept_until: sql`x.expires_at`,
  },
  filters: { waiting: (which) => waiting[which] },
  always: () => sql`x.removed_at is null`,
  usual: () => [{ value: sql`x.id`, isDescending: true, isNeverNull: true }],
  report: {
    times: { created: { instant: sql`x.created_at` } },
    usually: sql`x.removed_at is null`,
    order: sql`x.id desc`,
  },
});
