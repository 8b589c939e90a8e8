import { sql } from "kysely";
import type { Day } from "#kit/domain/day.ts";
import { byPerson, personOrder } from "#kit/db/sort.ts";
import { attorneyCells } from "#panel/attorney-columns.rows.ts";
import { amounts, receivablesAsOf } from "#dues/ledger/receivables/receivables-as-of.ts";
import { receivables } from "#dues/ledger/receivables/receivables.list.ts";
import type { ListContext, Sql } from "#kit/list/list-context.ts";
import { rowsOf } from "#kit/list/rows-of.ts";

export const receivableRows = rowsOf(receivables, {
  from: (context, { as_of }) => rowsOn(as_of ?? context.today, context),
  networkId: sql`a.network_id`,
  key: sql`a.id`,
  columns: {
    as_of: sql`last.day`,
    ...attorneyCells,
    current: amounts.current,
    days_1_to_30: amounts.days30,
    days_31_to_60: amounts.days60,
    days_61_to_90: amounts.days90,
    over_90_days: amounts.over90,
    balance: amounts.total,
    credit: amounts.credit,
  },
  filters: {
    as_of: () => false, // the rows are already those of that day
    bucket: (age) => sql`${amounts[age]} > 0`,
  },
  usual: () => personOrder("a").map((value) => ({ value })),
  report: {
    from: (context) => rowsOn(context.lastOn, context),
    times: {},
    order: byPerson("a"),
  },
});

export const attorneyOf = (networkId: number): Sql =>
  sql`join attorneys a on a.network_id = ${networkId} and a.id = r.attorney_id`;

/** Attorneys who owed anything or had credit at the end of a day. */
const rowsOn = (day: Day, { networkId, timeZone }: ListContext) => sql`
  (${receivablesAsOf({ id: networkId, timeZone }, day)}) as r
  ${attorneyOf(networkId)}
  cross join (select ${day}::date as day) as last`;
