import { sql } from "kysely";
import { byPerson } from "#db/sort.ts";
import { processorLabels } from "#features/cards/shapes.ts";
import { type Column, dayOf, type ExportDefinition, money, text } from "#list/report.ts";
import { attorneyColumns, overdueColumns } from "#features/exports/shared-columns.ts";
import { wordsOf } from "#features/lists/shapes.ts";
import { ofList } from "#list/report-filters.ts";
import { listChecks } from "#features/checks/contract.ts";
import { listDeposits } from "#features/deposits/contract.ts";
import { isListedCheck } from "#features/lists/checks.ts";
import { showReceivables } from "#features/receivables/contract.ts";
import { accountName, journalLines } from "#features/journal/journal.ts";
import { isOwedFor, receivablesAsOf } from "#features/receivables/receivables-as-of.ts";

/*
 * The reports of the money desk: received checks, deposits, receivables as of a day, and the journal.
 */

/** The payer of the check (alias `k`), with its outer joins. */
const payer = sql`
  left join firms f on f.network_id = k.network_id and f.id = k.firm_id
  left join attorneys a on a.network_id = k.network_id and a.id = k.attorney_id`;

const payerName: Column = {
  value: "payer",
  label: "Payer",
  cell: text(sql`coalesce(f.name, a.first_name || ' ' || a.last_name)`),
};

/** The check's status, as the screens name it. */
const statusColumn: Column = {
  value: "status",
  label: "Status",
  tooltip: "Mixed: its shares were decided differently",
  cell: sql`initcap(k.status)`,
};

export const checks: ExportDefinition = {
  value: "checks",
  label: "Checks",
  description:
    "Every check that was received, one row a check, with its payer and what became of it.",
  columns: [
    { value: "check_id", label: "Check ID", cell: sql`k.id` },
    { value: "check_number", label: "Check number", cell: text(sql`k.check_number`) },
    {
      value: "payer_kind",
      label: "Payer is",
      cell: sql`case when k.firm_id is null then 'Attorney' else 'Firm' end`,
    },
    payerName,
    { value: "amount", label: "Amount", cell: money(sql`k.amount_cents`) },
    {
      value: "credit",
      label: "Kept as credit",
      tooltip: "What of the amount pays no debit",
      cell: money(sql`(select coalesce(sum(y.credit_cents), 0) from payments y
        where y.network_id = k.network_id and y.received_check_id = k.id)`),
    },
    statusColumn,
    { value: "received_on", label: "Received on", cell: sql`k.received_on` },
    { value: "recorded_on", label: "Recorded on", cell: dayOf(sql`k.created_at`) },
    { value: "recorded_by", label: "Recorded by", cell: text(sql`recorder.name`) },
    { value: "decided_on", label: "Decided on", cell: dayOf(sql`k.decided_at`) },
    { value: "decided_by", label: "Decided by", cell: text(sql`decider.name`) },
    { value: "returned_on", label: "Returned on", cell: sql`k.returned_on` },
    { value: "return_note", label: "Reason of return", cell: text(sql`k.return_note`) },
    { value: "deposit", label: "Deposit", cell: sql`t.number` },
    { value: "deposited_on", label: "Deposited on", cell: sql`t.deposited_on` },
    { value: "note", label: "Note", cell: text(sql`k.note`) },
  ],
  hasChoice: true,
  filters: [],
  timeFilterPermissions: "range",
  timeFilterModes: [],
  createdAt: sql`k.created_at`,
  ofList: ofList(wordsOf("checks"), listChecks, isListedCheck),
  rows: ({ networkId }) => sql`from received_checks k ${payer}
    left join users recorder on recorder.id = k.created_by
    left join users decider on decider.id = k.decided_by
    left join deposits t on t.network_id = k.network_id and t.id = k.deposit_id
    where k.network_id = ${networkId}`,
  order: sql`k.id`,
};

export const deposits: ExportDefinition = {
  value: "deposits",
  label: "Deposits",
  description: "The checks brought to the bank, one row a check, deposit by deposit.",
  columns: [
    { value: "deposit", label: "Deposit", cell: sql`t.number` },
    { value: "deposited_on", label: "Deposited on", cell: sql`t.deposited_on` },
    { value: "account_name", label: "Bank account", cell: text(sql`t.account_name`) },
    {
      value: "deposit_status",
      label: "Deposit status",
      cell: sql`case when t.banked_at is null then 'Open' else 'Banked' end`,
    },
    { value: "banked_on", label: "Banked on", cell: dayOf(sql`t.banked_at`) },
    { value: "check_id", label: "Check ID", cell: sql`k.id` },
    { value: "check_number", label: "Check number", cell: text(sql`k.check_number`) },
    payerName,
    { value: "amount", label: "Amount", cell: money(sql`k.amount_cents`) },
    { ...statusColumn, label: "Check status" },
    { value: "returned_on", label: "Returned on", cell: sql`k.returned_on` },
  ],
  hasChoice: true,
  filters: [],
  timeFilterPermissions: "range",
  timeFilterModes: [],
  createdAt: sql`t.created_at`,
  ofList: ofList(wordsOf("deposits"), listDeposits, () => sql`true`),
  rows: ({ networkId }) => sql`from deposits t
    left join received_checks k on k.network_id = t.network_id and k.deposit_id = t.id ${payer}
    where t.network_id = ${networkId}`,
  order: sql`t.number, k.id`,
};

export const receivablesAsOfDay: ExportDefinition = {
  value: "receivables_as_of",
  label: "Receivables as of a day",
  description:
    "What each attorney owed at the end of the last day of the range, by how long it was overdue then, and the credit of that day.",
  columns: [
    { value: "as_of", label: "As of", cell: ({ lastOn }) => sql`${lastOn}::date` },
    ...attorneyColumns,
    {
      value: "current",
      label: "Current",
      tooltip: "Due on that day or later",
      cell: money(sql`r.current_cents`),
    },
    ...overdueColumns("r"),
    { value: "balance", label: "Total owed", cell: money(sql`r.total_cents`) },
    {
      value: "credit",
      label: "Credit",
      tooltip: "Received and not applied by then; not taken off what was owed",
      cell: money(sql`r.credit_cents`),
    },
  ],
  hasChoice: true,
  filters: [],
  timeFilterPermissions: "range",
  timeFilterModes: [],
  // The day is that of the range.
  ofList: ofList(wordsOf("receivables"), showReceivables, (_, { bucket }) => isOwedFor(bucket)),
  rows: ({ networkId, timeZone, lastOn }) => sql`
    from (${receivablesAsOf({ id: networkId, timeZone }, lastOn)}) as r
    join attorneys a on a.network_id = ${networkId} and a.id = r.attorney_id
    where true`,
  order: byPerson("a"),
};

/** Plan, bank or processor; processors by what people call them. */
const detail = sql`case when j.account = 'card_clearing'
  then coalesce((${JSON.stringify(processorLabels)}::jsonb) ->> split_part(j.detail, ' ', 1)
    || substr(j.detail, length(split_part(j.detail, ' ', 1)) + 1), j.detail)
  else j.detail end`;

export const journal: ExportDefinition = {
  value: "journal",
  label: "Journal",
  description:
    "Each money event as one double entry, by the day on which it was recorded: debits equal credits in every entry.",
  columns: [
    { value: "date", label: "Date", cell: dayOf(sql`j.at`) },
    {
      value: "entry",
      label: "Entry",
      tooltip: "The same in both lines of one entry",
      cell: sql`j.entry`,
    },
    {
      value: "account",
      label: "Account",
      tooltip: "By the network's own names",
      // The name comes first, and decides whether the cell would run as a formula.
      cell: sql`concat_ws(': ', ${text(accountName(sql`j.account`))}, ${detail})`,
    },
    {
      value: "debit",
      label: "Debit",
      cell: money(sql`case when j.amount_cents > 0 then j.amount_cents end`),
    },
    {
      value: "credit",
      label: "Credit",
      cell: money(sql`case when j.amount_cents < 0 then -j.amount_cents end`),
    },
    {
      value: "attorney",
      label: "Attorney",
      cell: text(sql`a.first_name || ' ' || a.last_name`),
    },
    {
      value: "reference",
      label: "Reference",
      tooltip: "Check number, card transaction, debit or deposit",
      cell: text(sql`j.reference`),
    },
    { value: "memo", label: "Memo", cell: text(sql`j.memo`) },
  ],
  hasChoice: true,
  filters: [],
  timeFilterPermissions: "range",
  timeFilterModes: [],
  createdAt: sql`j.at`,
  rows: ({ networkId }) => sql`from (${journalLines}) as j
    left join networks n on n.id = j.network_id
    left join attorneys a on a.network_id = j.network_id and a.id = j.attorney_id
    where j.network_id = ${networkId}`,
  order: sql`j.at, j.source, j.id, j.amount_cents desc`,
};
