import { sql } from "kysely";
import { byPerson } from "#kit/db/sort.ts";
import { attorneyColumns } from "#panel/attorney-columns.list.ts";
import { attorneyCells } from "#panel/attorney-columns.rows.ts";
import { receivables } from "#dues/ledger/receivables/receivables.list.ts";
import { receivableRows } from "#dues/ledger/receivables/receivables.rows.ts";
import { day, money } from "#kit/list/define-list.ts";
import { defineReport } from "#kit/list/define-report.ts";

const { days_1_to_30, days_31_to_60, days_61_to_90, over_90_days, balance } = receivables.columns;
const cells = receivableRows.columns;

/** The sum of balances of debits overdue by `from` to `to` days. */
const owed = (from: string, to: string) =>
  sql`coalesce(sum(d.balance_cents) filter (where days between ${from}::integer and ${to}::integer), 0)`;

/** Balances when the report is made. Pending payments still count as owed. Source: domain rules §7. */
export const receivablesAging = defineReport({
  report: {
    type: "receivables_aging",
    label: "Receivables aging",
    description:
      "Amounts owed on the day the report is made, by attorney and by days overdue. Pending payments still count as owed.",
    dates: "none",
    timeModes: {},
    byAttorney: false,
    isWhole: true,
  },
  columns: {
    ...attorneyColumns,
    current: money("Current", { tooltip: "Due today or later" }),
    days_1_to_30,
    days_31_to_60,
    days_61_to_90,
    over_90_days,
    balance,
    pending: money("Pending payments"),
    oldest_due_on: day("Oldest due date"),
  },
  cells: {
    ...attorneyCells,
    current: cells.current,
    days_1_to_30: cells.days_1_to_30,
    days_31_to_60: cells.days_31_to_60,
    days_61_to_90: cells.days_61_to_90,
    over_90_days: cells.over_90_days,
    balance: cells.balance,
    pending: sql`r.pending_cents`,
    oldest_due_on: sql`r.oldest_due_on`,
  },
  from: ({ networkId, today }) => sql`(
      select d.attorney_id, ${owed("-100000", "0")} as current_cents, ${owed("1", "30")} as to_30_cents,
        ${owed("31", "60")} as to_60_cents, ${owed("61", "90")} as to_90_cents,
        ${owed("91", "100000")} as over_90_cents, sum(d.balance_cents) as total_cents,
        sum(d.pending_cents) as pending_cents, min(d.due_on) as oldest_due_on
      from debits d cross join lateral (select ${today}::date - d.due_on as days) as overdue
      where d.network_id = ${networkId} and d.balance_cents > 0
      group by d.attorney_id
    ) as r
    join attorneys a on a.network_id = ${networkId} and a.id = r.attorney_id`,
  networkId: sql`a.network_id`,
  times: {},
  order: byPerson("a"),
});
