import { z } from "zod";
import { Refusal } from "#kit/contract/refusal.ts";
import { fieldErrors } from "#kit/contract/validation-messages.ts";
import {
  type Columns,
  type Filters,
  type FiltersOf,
  type ListReport,
  listWords,
} from "#kit/list/define-list.ts";
import { filtersObject } from "#kit/list/list-endpoint.ts";
import type { ListFilters } from "#kit/list/report.ts";
import { isListed, type ListRows, type Wanted } from "#kit/list/rows-of.ts";

/** A list's filters, for its report. */
export function filtersFor<C extends Columns, F extends FiltersOf, R extends ListReport>(
  rows: ListRows<C, F, R>,
): ListFilters {
  const { list } = rows;
  const schema = filtersObject(list);
  const names = Object.keys(list.filters);
  const decode = (given: Record<string, unknown>) =>
    z.safeDecode(schema, given as never, { reportInput: true });
  const wantedBy = (stored: Filters) => {
    const decoded = decode(stored);
    if (!decoded.success)
      throw new RangeError(`The filters of the list have changed: ${names.join(", ")}.`);
    return decoded.data as Wanted<F>; // by the same schemas
  };
  return {
    words: (filters, recordNames) => listWords(list, filters, recordNames),
    records: list.filters,
    read: (given) => {
      const texts = Object.entries(given).map(([name, value]) => [name, String(value)] as const);
      const decoded = decode(Object.fromEntries(texts));
      if (decoded.success)
        return Object.fromEntries(
          names.flatMap((name) => texts.filter(([given, value]) => given === name && value !== "")),
        );
      const errors = fieldErrors(decoded.error);
      throw new Refusal(
        422,
        errors[0]?.message ?? "The filters are not valid. Check them and try again.",
        {
          errors: errors.map(({ path, message }) => ({ path: `filters.${path}`, message })),
        },
      );
    },
    refuse: async (tx, admin, stored) => await rows.refuse?.(tx, admin, wantedBy(stored)),
    condition: (context, stored) => isListed(rows, context, wantedBy(stored)),
  };
}
