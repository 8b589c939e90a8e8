import { sql } from "kysely";
import { debitName, debitNames, debitNote } from "#db/debit-names.ts";
import { byPerson } from "#db/sort.ts";
import {
  type Column,
  dayOf,
  money,
  type ExportDefinition,
  inWords,
  text,
  timeOf,
} from "#list/report.ts";
import { attorneyColumns, overdueColumns } from "#features/exports/shared-columns.ts";
import { cardColumns } from "#features/payments/payments.list.ts";
import { cardCells } from "#features/payments/payments.rows.ts";
import { paymentStatuses } from "#features/payments/shapes.ts";
import { reportColumns } from "#list/report-of.ts";

/*
 * Joins are outer joins on primary keys: PostgreSQL leaves out those that no chosen column needs.
 */

/** The debit (alias `d`) that a row is about, with its attorney and its names. */
const ofDebit = sql`
  left join attorneys a on a.network_id = d.network_id and a.id = d.attorney_id ${debitNames}`;

const subscriptionColumns: Column[] = [
  { value: "subscription", label: "Subscription", cell: text(debitName) },
  {
    value: "note",
    label: "Note",
    tooltip: "The note of the attorney's enrolment, or of the charge",
    cell: text(debitNote),
  },
];

/** The statuses as the Paid tab names them, for checks and cards. */
const paymentStatus = inWords(
  sql`case when s.check_number is null
    then case s.status when 'pending' then 'processing' when 'approved' then 'paid' else s.status end
    else s.status end`,
  paymentStatuses,
);

/**
 * A refund, a failure or the return of a check changes `decided_at` of the share; `settled_at` of the card
 * payment and `decided_at` of the check stay.
 */
const confirmedAt = sql`coalesce(c.settled_at, case s.status when 'returned' then k.decided_at else s.decided_at end)`;

export const subscriptionPayments: ExportDefinition = {
  value: "subscription_payments",
  label: "Subscription payments",
  description:
    "What attorneys have paid, one row for each payment's share on each debit. Declined cards are no payments and left out.",
  columns: [
    {
      value: "payment_id",
      label: "Payment ID",
      tooltip: "The same in each share of one payment",
      cell: sql`s.payment_id`,
    },
    { value: "paid_on", label: "Payment date", cell: dayOf(sql`s.created_at`) },
    { value: "paid_at", label: "Payment time", cell: timeOf(sql`s.created_at`) },
    ...attorneyColumns,
    ...subscriptionColumns,
    { value: "debit_id", label: "Debit ID", cell: sql`s.debit_id` },
    { value: "due_on", label: "Due date", cell: sql`d.due_on` },
    { value: "debit_amount", label: "Debit amount", cell: money(sql`d.amount_cents`) },
    {
      value: "method",
      label: "Method",
      cell: sql`case when s.check_number is null then 'Card' else 'Check' end`,
    },
    { value: "check_number", label: "Check number", cell: text(sql`s.check_number`) },
    ...reportColumns(cardColumns, cardCells),
    { value: "status", label: "Status", cell: paymentStatus },
    {
      value: "amount",
      label: "Amount",
      tooltip: "The share of this debit, whatever its status",
      cell: money(sql`s.amount_cents`),
    },
    {
      value: "amount_received",
      label: "Amount received",
      tooltip:
        "The same once the payment counts; 0.00 while pending, denied, refunded, failed or returned",
      cell: money(sql`case s.status when 'approved' then s.amount_cents else 0 end`),
    },
    {
      value: "payment_total",
      label: "Payment total",
      tooltip: "Of all shares of the payment: do not add it up",
      cell: money(sql`y.amount_cents`),
    },
    {
      value: "confirmed_on",
      label: "Confirmed on",
      tooltip: "When the check was approved or denied, or the card was charged",
      cell: dayOf(confirmedAt),
    },
    { value: "confirmed_by", label: "Confirmed by", cell: text(sql`confirmer.name`) },
    { value: "refunded_on", label: "Refunded on", cell: dayOf(sql`c.refunded_at`) },
    { value: "recorded_by", label: "Recorded by", cell: text(sql`recorder.name`) },
  ],
  hasChoice: true,
  filters: ["attorneys"],
  timeFilterPermissions: "range",
  timeFilterModes: [
    {
      value: "submitted_at",
      label: "Payments made between:",
      filters: { instant: sql`s.created_at` },
    },
    {
      value: "confirmed_at",
      label: "Payments confirmed between:",
      filters: { instant: confirmedAt },
    },
  ],
  rows: ({ networkId }) => sql`from payment_allocations s
    left join payments y on y.network_id = s.network_id and y.id = s.payment_id
    left join card_payments c on c.network_id = s.network_id and c.payment_id = s.payment_id
    left join received_checks k on k.network_id = y.network_id and k.id = y.received_check_id
    left join users recorder on recorder.network_id = y.network_id and recorder.id = y.created_by
    left join users confirmer on confirmer.network_id = s.network_id and confirmer.id
      = case s.status when 'returned' then k.decided_by else s.decided_by end
    left join debits d on d.network_id = s.network_id and d.id = s.debit_id ${ofDebit}
    where s.network_id = ${networkId} and not (s.check_number is null and s.status = 'denied')`,
  attorneyId: sql`s.attorney_id`,
  order: sql`s.id`,
};

export const debitAdjustments: ExportDefinition = {
  value: "debit_adjustments",
  label: "Balance adjustments",
  description: "Every change of a balance made by an administrator, with its note.",
  columns: [
    { value: "adjustment_id", label: "Adjustment ID", cell: sql`l.id` },
    { value: "adjusted_on", label: "Date", cell: dayOf(sql`l.created_at`) },
    { value: "adjusted_at", label: "Time", cell: timeOf(sql`l.created_at`) },
    ...attorneyColumns,
    ...subscriptionColumns,
    { value: "debit_id", label: "Debit ID", cell: sql`l.debit_id` },
    { value: "due_on", label: "Due date", cell: sql`d.due_on` },
    { value: "debit_amount", label: "Debit amount", cell: money(sql`d.amount_cents`) },
    {
      value: "direction",
      label: "Direction",
      cell: sql`case when l.amount_cents < 0 then 'Decrease' else 'Increase' end`,
    },
    {
      value: "amount",
      label: "Amount",
      tooltip: "Always positive: the direction stands beside it",
      cell: money(sql`abs(l.amount_cents)`),
    },
    {
      value: "balance_change",
      label: "Change of balance",
      tooltip: "Negative where the balance decreased",
      cell: money(sql`l.amount_cents`),
    },
    { value: "adjustment_note", label: "Reason", cell: text(sql`l.note`) },
    { value: "adjusted_by", label: "Adjusted by", cell: text(sql`adjuster.name`) },
    {
      value: "balance",
      label: "Balance now",
      tooltip: "Of the debit, when the report is made",
      cell: money(sql`d.balance_cents`),
    },
  ],
  hasChoice: true,
  filters: ["attorneys"],
  timeFilterPermissions: "range",
  timeFilterModes: [],
  createdAt: sql`l.created_at`,
  rows: ({ networkId }) => sql`from ledger_entries l
    left join debits d on d.network_id = l.network_id and d.id = l.debit_id ${ofDebit}
    left join users adjuster on adjuster.network_id = l.network_id and adjuster.id = l.actor_user_id
    where l.network_id = ${networkId} and l.kind = 'adjustment'`,
  attorneyId: sql`d.attorney_id`,
  order: sql`l.id`,
};

/** What is owed, added up where the debit is so many days overdue. */
const owed = (from: string, to: string) =>
  sql`coalesce(sum(d.balance_cents) filter (where days between ${from}::integer and ${to}::integer), 0)`;

export const receivablesAging: ExportDefinition = {
  value: "receivables_aging",
  label: "Receivables aging",
  description:
    "What each attorney owes by how long it has been overdue, as of the day on which the report is made. Pending payments are still part of it.",
  columns: [
    ...attorneyColumns,
    {
      value: "current",
      label: "Current",
      tooltip: "Due today or later",
      cell: money(sql`owed.current_cents`),
    },
    ...overdueColumns("owed"),
    { value: "balance", label: "Total owed", cell: money(sql`owed.balance_cents`) },
    { value: "pending", label: "Pending payments", cell: money(sql`owed.pending_cents`) },
    { value: "oldest_due_on", label: "Oldest due date", cell: sql`owed.oldest_due_on` },
  ],
  hasChoice: false,
  filters: [],
  timeFilterPermissions: "none",
  timeFilterModes: [],
  rows: ({ networkId, today }) => sql`from (
      select d.attorney_id, ${owed("-100000", "0")} as current_cents, ${owed("1", "30")} as to_30_cents,
        ${owed("31", "60")} as to_60_cents, ${owed("61", "90")} as to_90_cents,
        ${owed("91", "100000")} as over_90_cents, sum(d.balance_cents) as balance_cents,
        sum(d.pending_cents) as pending_cents, min(d.due_on) as oldest_due_on
      from debits d cross join lateral (select ${today}::date - d.due_on as days) as overdue
      where d.network_id = ${networkId} and d.balance_cents > 0
      group by d.attorney_id
    ) as owed
    join attorneys a on a.network_id = ${networkId} and a.id = owed.attorney_id`,
  order: byPerson("a"),
};
