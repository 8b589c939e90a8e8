import { sql } from "kysely";
import { byPerson } from "#db/sort.ts";
import { processorLabels } from "#features/cards/shapes.ts";
import { dayOf, type ExportDefinition, money, text } from "#list/report.ts";
import { attorneyColumns, overdueColumns } from "#features/exports/shared-columns.ts";
import { wordsOf } from "#features/lists/shapes.ts";
import { ofList } from "#list/report-filters.ts";
import { showReceivables } from "#features/receivables/contract.ts";
import { accountName, journalLines } from "#features/journal/journal.ts";
import { isOwedFor, receivablesAsOf } from "#features/receivables/receivables-as-of.ts";

/*
 * The reports of the money desk that are no list's own: receivables as of a day, and the journal.
 */

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
