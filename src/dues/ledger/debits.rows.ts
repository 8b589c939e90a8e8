import { sql } from "kysely";
import { daysAfter } from "#kit/domain/day.ts";
import { debitDescription, debitName, debitNames, debitNote } from "#kit/db/debit-names.ts";
import { tableJson } from "#kit/db/shape-json.ts";
import { matchesSearch } from "#kit/db/text-search.ts";
import { attorneyColumns } from "#panel/attorney-columns.list.ts";
import { attorneyCells } from "#panel/attorney-columns.rows.ts";
import { debits } from "#dues/ledger/debits.list.ts";
import { DebitOfAttorney } from "#dues/ledger/contract.ts";
import { debitFields } from "#dues/ledger/debits.ts";
import { money } from "#kit/list/define-list.ts";
import type { Sql } from "#kit/list/list-context.ts";
import { rowsOf } from "#kit/list/rows-of.ts";

/** Joins a debit's attorney and names (alias `d`). */
export const ofDebit = sql`
  left join attorneys a on a.network_id = d.network_id and a.id = d.attorney_id ${debitNames}`;

/** The sum of the debit's entries with these causes, without its charge. */
const sumOfEntries = (causes: string) => sql`(
  select coalesce(sum(l.owed_cents), 0) from entries l
  where l.network_id = d.network_id and l.debit_id = d.id and l.cause = any(${causes}::text[])
    and l.cause <> 'charge')`;

export const debitRows = rowsOf(debits, {
  from: sql`debits d ${ofDebit}`,
  networkId: sql`d.network_id`,
  key: sql`d.id`,
  columns: {
    debit_id: sql`d.id`,
    ...attorneyCells,
    subscription: debitName,
    note: debitNote,
    description: debitDescription,
    payment_schedule: sql`payment_schedule(p.amount_cents, p.frequency_in_months)`,
    billing_period: sql`d.period + 1`,
    due_on: sql`d.due_on`,
    created_on: sql`d.created_at`,
    amount: sql`d.amount_cents`,
    adjustments: sumOfEntries("{adjustment}"),
    paid: sql`-${sumOfEntries("{payment,reversal,credit_applied,credit_taken_off}")}`,
    paid_from_credit: sql`-${sumOfEntries("{credit_applied,credit_taken_off}")}`,
    balance: sql`d.balance_cents`,
    pending: sql`d.pending_cents`,
    days_overdue: ({ today }) =>
      sql`case when d.balance_cents > 0 then greatest(0, ${today}::date - d.due_on) else 0 end`,
    status: ({ today }) => sql`case when d.balance_cents = 0 then 'Settled'
      when d.due_on < ${today}::date then 'Overdue' else 'Owed' end`,
  },
  filters: {
    state: (state, { today }) =>
      ({
        open: sql`d.balance_cents > 0`,
        overdue: sql`d.balance_cents > 0 and d.due_on < ${today}::date`,
        paid: sql`d.balance_cents = 0`,
      })[state],
    min_days: (days, { today }) => sql`d.due_on <= ${daysAfter(today, -days)}::date`,
    attorney_id: (id) => sql`d.attorney_id = ${id}`,
    firm_id: (id, { networkId }) => sql`d.attorney_id in (
      select id from attorneys where network_id = ${networkId} and firm_id = ${id})`,
    plan_id: (id) => sql`exists (select from enrolments o where o.network_id = d.network_id
      and o.id = d.enrolment_id and o.plan_id = ${id})`,
    search: (search, { networkId }) => sql`d.id in (${foundBySearch(networkId, search)})`,
  },
  usual: ({ state }) => [{ value: sql`d.due_on`, isDescending: state === "paid" }],
  item: tableJson(DebitOfAttorney, "debits as d", {
    ...debitFields,
    attorneyName: attorneyCells.attorney_name.value,
  }),
  report: {
    times: {
      submitted_at: { instant: sql`d.created_at` },
      due_on: { day: sql`d.due_on` },
    },
    attorneyId: sql`d.attorney_id`,
    order: sql`d.id`,
  },
});

const { subscription, note, debit_id, due_on } = debits.columns;

/** Columns of a debit and its attorney, for reports with a row per debit; `ofDebit` joins them. */
export const debitColumns = {
  ...attorneyColumns,
  subscription,
  note,
  debit_id,
  due_on,
  debit_amount: money("Debit amount"),
};

/** Their SQL, except `debit_id`: each report has its own. */
export const debitCells = {
  ...attorneyCells,
  subscription: debitRows.columns.subscription,
  note: debitRows.columns.note,
  due_on: debitRows.columns.due_on,
  debit_amount: debitRows.columns.amount,
};

/** Debits whose attorney, plan or charge matches every word. */
function foundBySearch(networkId: number, search: string): Sql {
  return sql`
    select o.id from debits o join attorneys a on a.network_id = o.network_id and a.id = o.attorney_id
    where o.network_id = ${networkId} and ${matchesSearch(sql`a.search_text`, search)}
    union select o.id from debits o
      join enrolments e on e.network_id = o.network_id and e.id = o.enrolment_id
      join plans p on p.network_id = e.network_id and p.id = e.plan_id
    where o.network_id = ${networkId} and ${matchesSearch(sql`folded(p.name)`, search)}
    union select o.id from debits o join charges c on c.network_id = o.network_id and c.id = o.charge_id
    where o.network_id = ${networkId} and ${matchesSearch(sql`folded(c.name)`, search)}`;
}
