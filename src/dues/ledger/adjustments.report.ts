import { sql } from "kysely";
import { debitCells, debitColumns, debitRows, ofDebit } from "#dues/ledger/debits.rows.ts";
import { dayOf, money, number, text, timeOf, word } from "#kit/list/define-list.ts";
import { defineReport } from "#kit/list/define-report.ts";

/** Adjustments of balances by administrators. Source: domain rules §5. */
export const debitAdjustments = defineReport({
  report: {
    type: "debit_adjustments",
    label: "Balance adjustments",
    description: "Every change of a balance made by an administrator, with its note.",
    dates: "range",
    timeModes: {},
    byAttorney: true,
  },
  columns: {
    adjustment_id: number("Adjustment ID"),
    adjusted_on: dayOf("Date"),
    adjusted_at: timeOf("Time"),
    ...debitColumns,
    direction: word("Direction"),
    amount: money("Amount", { tooltip: "Always positive. See Direction." }),
    balance_change: money("Change of balance", { tooltip: "Negative if the balance decreased" }),
    adjustment_note: text("Reason"),
    adjusted_by: text("Adjusted by"),
    balance: money("Balance now", { tooltip: "The debit’s balance when the report is made" }),
  },
  cells: {
    adjustment_id: sql`l.id`,
    adjusted_on: sql`l.created_at`,
    adjusted_at: sql`l.created_at`,
    ...debitCells,
    debit_id: sql`l.debit_id`,
    direction: sql`case when l.owed_cents < 0 then 'Decrease' else 'Increase' end`,
    amount: sql`abs(l.owed_cents)`,
    balance_change: sql`l.owed_cents`,
    adjustment_note: sql`l.note`,
    adjusted_by: sql`adjuster.name`,
    balance: debitRows.columns.balance,
  },
  from: sql`entries l
    left join debits d on d.network_id = l.network_id and d.id = l.debit_id ${ofDebit}
    left join users adjuster on adjuster.network_id = l.network_id and adjuster.id = l.actor_user_id`,
  networkId: sql`l.network_id`,
  always: sql`l.cause = 'adjustment'`,
  times: { created: { instant: sql`l.created_at` } },
  attorneyId: sql`d.attorney_id`,
  order: sql`l.id`,
});
