import { z } from "zod";
import { endpoint } from "#contract/endpoint.ts";
import { Day, Id, Money } from "#contract/fields.ts";
import { PageQuery, pageOf } from "#contract/page.ts";
import { sortBy } from "#contract/sort.ts";

/** How long what is owed was overdue. */
export const agingBuckets = ["current", "days30", "days60", "days90", "over90"] as const;

/** What is owed by how many days it was overdue, with the credit beside it. */
const Aging = z.object({
  current: Money,
  days30: Money,
  days60: Money,
  days90: Money,
  over90: Money,
  total: Money,
  credit: Money,
});

/** Of all attorneys together. */
export const AgingTotals = Aging.extend({ attorneyId: z.null(), attorneyName: z.string() });

const AgingRow = Aging.extend({ attorneyId: Id, attorneyName: z.string() });
export type AgingRow = z.output<typeof AgingRow>;

/** What receivables are sorted by; by attorney without it. */
export const agingColumns = [
  "attorney",
  "current",
  "days30",
  "days60",
  "days90",
  "over90",
  "total",
  "credit",
] as const;

export const showReceivables = endpoint({
  method: "GET",
  path: "/receivables",
  summary: "What each attorney owed at the end of a day, by how long it was overdue",
  /** Today unless it is given; never after today. */
  query: PageQuery.extend({
    as_of: Day.optional(),
    /** Only attorneys who owed something that was overdue for so long. */
    bucket: z.enum(agingBuckets).optional(),
    sort: sortBy(...agingColumns),
  }),
  object: z.object({
    asOf: Day,
    /** Attorneys who owed anything or had credit, by their last names. */
    rows: pageOf(AgingRow),
    /** Of all pages. */
    totals: AgingTotals,
  }),
});
export type Receivables = z.output<typeof showReceivables.object>;
