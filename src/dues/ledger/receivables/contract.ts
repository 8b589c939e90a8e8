import { z } from "zod";
import { endpoint } from "#kit/contract/endpoint.ts";
import { Day, Id, Money } from "#kit/contract/fields.ts";
import { PageQuery, pageOf } from "#kit/contract/page.ts";
import { sortBy } from "#kit/contract/sort.ts";
import { receivables } from "#dues/ledger/receivables/receivables.list.ts";
import { filtersObject, sortNames } from "#kit/list/list-endpoint.ts";

/** Balances by days overdue, and the credit. */
const Aging = z.object({
  current: Money,
  days30: Money,
  days60: Money,
  days90: Money,
  over90: Money,
  total: Money,
  credit: Money,
});

export const AgingTotals = Aging.extend({ attorneyId: z.null(), attorneyName: z.string() });

export const AgingRow = Aging.extend({ attorneyId: Id, attorneyName: z.string() });
export type AgingRow = z.output<typeof AgingRow>;

export const showReceivables = endpoint({
  method: "GET",
  path: "/receivables",
  summary: "What each attorney owed at the end of a day, by days overdue",
  /** `as_of`: today unless given, never later. `bucket`: only attorneys who owed anything of that age. */
  query: PageQuery.extend({
    ...filtersObject(receivables).shape,
    sort: sortBy(...sortNames(receivables)),
  }),
  object: z.object({
    asOf: Day,
    /** Attorneys who owed anything or had credit, by last name. */
    rows: pageOf(AgingRow),
    /** Totals of all pages. */
    totals: AgingTotals,
  }),
});
