import { sql } from "kysely";
import { processorLabels } from "#features/cards/shapes.ts";
import { accountName, journalLines } from "#features/journal/journal.ts";
import { day, money, text, word } from "#list/define-list.ts";
import { defineReport } from "#list/define-report.ts";
import { spreadsheetText } from "#list/report.ts";

/** Plan, bank or processor; processors by what people call them. */
const detail = sql`case when j.account = 'card_clearing'
  then coalesce((${JSON.stringify(processorLabels)}::jsonb) ->> split_part(j.detail, ' ', 1)
    || substr(j.detail, length(split_part(j.detail, ' ', 1)) + 1), j.detail)
  else j.detail end`;

/** Every money event as a double entry. Source: domain rules §10. */
export const journal = defineReport({
  report: {
    type: "journal",
    label: "Journal",
    description:
      "Each movement of money as one double entry, by the day on which it counts: debits equal credits in every entry.",
    dates: "range",
    timeModes: {},
    byAttorney: false,
  },
  columns: {
    date: day("Date"),
    entry: word("Entry", { tooltip: "The same in both lines of one entry" }),
    account: word("Account", { tooltip: "By the network's own names" }),
    debit: money("Debit"),
    credit: money("Credit"),
    attorney: text("Attorney"),
    reference: text("Reference", { tooltip: "Check number, card transaction, debit or deposit" }),
    memo: text("Memo"),
  },
  cells: {
    date: sql`j.day`,
    entry: sql`j.entry`,
    // The name comes first, and decides whether the cell would run as a formula.
    account: sql`concat_ws(': ', ${spreadsheetText(accountName(sql`j.account`))}, ${detail})`,
    debit: sql`case when j.amount_cents > 0 then j.amount_cents end`,
    credit: sql`case when j.amount_cents < 0 then -j.amount_cents end`,
    attorney: sql`a.first_name || ' ' || a.last_name`,
    reference: sql`j.reference`,
    memo: sql`j.memo`,
  },
  from: sql`(${journalLines}) as j
    left join networks n on n.id = j.network_id
    left join attorneys a on a.network_id = j.network_id and a.id = j.attorney_id`,
  networkId: sql`j.network_id`,
  times: { created: { day: sql`j.day` } },
  order: sql`j.day, j.id, j.amount_cents desc`,
});
