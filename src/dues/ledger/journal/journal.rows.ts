import { sql } from "kysely";
import { shapeJson } from "#kit/db/shape-json.ts";
import { Entry } from "#dues/ledger/journal/contract.ts";
import { journal } from "#dues/ledger/journal/journal.list.ts";
import { accountLabel, journalEntries, journalLines } from "#dues/ledger/journal/journal.ts";
import { trialBalance } from "#dues/ledger/journal/trial-balance.ts";
import { spreadsheetText } from "#kit/list/report.ts";
import { rowsOf } from "#kit/list/rows-of.ts";

const attorneyName = sql`a.first_name || ' ' || a.last_name`;
const withAttorney = sql`left join attorneys a on a.network_id = l.network_id and a.id = l.attorney_id`;

export const journalRows = rowsOf(journal, {
  from: sql`entries l`,
  networkId: sql`l.network_id`,
  key: sql`l.id`,
  columns: {
    date: sql`l.day`,
    entry: sql`l.entry`,
    // Only the name, which comes first, could make the cell run as a formula.
    account: accountLabel(sql`l.account`, sql`l.detail`, spreadsheetText),
    debit: sql`case when l.amount_cents > 0 then l.amount_cents end`,
    credit: sql`case when l.amount_cents < 0 then -l.amount_cents end`,
    attorney: attorneyName,
    reference: sql`l.reference`,
    memo: sql`l.memo`,
    kind: sql`l.kind`,
    on: { value: sql`l.day`, isNeverNull: true },
    amount: { value: sql`l.amount_cents`, isNeverNull: true },
  },
  filters: {
    from: (day) => sql`l.day >= ${day}::date`,
    to: (day) => sql`l.day <= ${day}::date`,
    account: (account) => sql`${account} in (l.from_account, l.to_account)`,
    attorney_id: (id) => sql`l.attorney_id = ${id}`,
  },
  usual: () => [{ value: sql`l.day`, isDescending: true, isNeverNull: true }],
  item: shapeJson(Entry, {
    id: sql`l.id`,
    on: sql`l.day`,
    recordedAt: sql`l.created_at`,
    from: sql`l.from_account`,
    to: sql`l.to_account`,
    amount: sql`l.amount_cents`,
    attorneyName,
    reference: sql`coalesce(l.reference, '')`,
    memo: sql`l.memo`,
  }),
  // Without this, the planner would join all the tables for every entry before it picks the page.
  itemFrom: sql`(${journalEntries} where l.id = any(array(select id from shown))) as l ${withAttorney}`,
  more: ({ networkId }, { from, to }) => ({ trialBalance: trialBalance(networkId, { from, to }) }),
  isReadInOrder: ({ account }) => account === undefined,
  report: {
    from: sql`(${journalLines}) as l left join networks n on n.id = l.network_id ${withAttorney}`,
    times: { created: { day: sql`l.day` } },
    order: sql`l.day, l.id, l.amount_cents desc`,
  },
});
