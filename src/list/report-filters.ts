import { z } from "zod";
import type { Admin } from "#domain/actor.ts";
import { Refusal } from "#contract/refusal.ts";
import { fieldErrors } from "#contract/validation-messages.ts";
import type { Db } from "#db/database.ts";
import type { FilterNames, Filters, FiltersOf } from "#list/define-list.ts";
import type { ListContext, Sql } from "#list/list-context.ts";

/** How a report is of exactly the rows of a list. */
export interface ListFilters {
  /** What the list shows, for people. */
  words: ListWords;
  /** Its filters, some of which name records. */
  records: FiltersOf;
  /** The filters as the list's own query has them, in its order. Throws 422 as the list's call does. */
  read(given: Record<string, unknown>): Filters;
  /** Throws where a filter names what is not the network's, beside an attorney, a firm or a plan. */
  refuse?(tx: Db, admin: Admin, filters: Filters): Promise<void>;
  /** Which rows of the report they are. */
  condition(context: ListContext, filters: Filters): Sql;
}

export type ListWords = (filters: Filters, names: FilterNames) => string;

/** What is no filter in a list's query. */
const ofPage: ReadonlySet<string> = new Set(["page", "per_page", "sort", "after"]);

type Wanted<Query extends z.ZodObject> = Omit<
  z.output<Query>,
  "page" | "per_page" | "sort" | "after"
>;

/** `condition`: as the list chooses its rows. */
export function ofList<Query extends z.ZodObject>(
  words: ListWords,
  { query }: { query: Query },
  condition: (context: ListContext, wanted: Wanted<Query>) => Sql,
  {
    records = {},
    refuse,
  }: {
    records?: FiltersOf;
    refuse?: (tx: Db, admin: Admin, wanted: Wanted<Query>) => Promise<void>;
  } = {},
): ListFilters {
  const names = Object.keys(query.shape).filter((name) => !ofPage.has(name));
  const schema = z.strictObject(
    Object.fromEntries(names.map((name) => [name, query.shape[name] ?? z.never()])),
  );
  const decode = (given: Record<string, unknown>) =>
    z.safeDecode(schema, given, { reportInput: true });
  const wantedBy = (stored: Filters) => {
    const decoded = decode(stored);
    if (!decoded.success)
      throw new RangeError(`The filters of the list have changed: ${names.join(", ")}.`);
    return decoded.data as Wanted<Query>; // what is left of the same shape
  };
  return {
    words,
    records,
    read: (given) => {
      const texts = Object.entries(given).map(([name, value]) => [name, String(value)] as const);
      const decoded = decode(Object.fromEntries(texts));
      if (decoded.success)
        return Object.fromEntries(
          names.flatMap((name) => texts.filter(([given, value]) => given === name && value !== "")),
        );
      const errors = fieldErrors(decoded.error);
      throw new Refusal(422, errors[0]?.message ?? "The filters are not valid.", {
        errors: errors.map(({ path, message }) => ({ path: `filters.${path}`, message })),
      });
    },
    ...(refuse && { refuse: (tx, admin, stored) => refuse(tx, admin, wantedBy(stored)) }),
    condition: (context, stored) => condition(context, wantedBy(stored)),
  };
}
