import { z } from "zod";
import { useAddressFilters } from "#kit/web/address-filters.tsx";
import type { Filter, Filters, FiltersOf } from "#kit/list/define-list.ts";

/** The filters that an address sets. */
export interface ChosenFilters<F extends FiltersOf> {
  /** As the call takes them. */
  query: { [K in keyof F]: z.output<F[K]["schema"]> };
  /** As text, including the filters that apply by default. */
  shown: Filters;
  /** As the address has them, by the names in the call; empty if not set. */
  address: Filters;
  /** Whether the address has any valid filters. */
  isFiltered: boolean;
  /** Empty text removes the filter. Changing a filter goes back to page 1. */
  choose: (changes: Filters, options?: { replace: boolean }) => void;
}

/** The list's filters in the address. Values that its call would refuse count as missing. */
export function useFilters<F extends FiltersOf>(filters: F): ChosenFilters<F> {
  const { read, chooseMany } = useAddressFilters<string>();
  const all = Object.entries(filters).flatMap(([name, filter]) => {
    const { inAddress = name } = filter;
    return inAddress === false ? [] : [{ name, filter, inAddress }];
  });
  const address = Object.fromEntries(
    all.map(({ name, filter, inAddress }) => [name, meantBy(filter, read(inAddress))]),
  );
  const isPossible = ({ onlyWith }: Filter, others: Filters) => onlyWith?.(others) ?? true;
  const chosen = all.flatMap(({ name, filter }) => {
    const text = isPossible(filter, address) ? textOf(filter, address[name] ?? "") : "";
    const value = valueOf(filter, text);
    if (value === undefined) return [];
    return [{ name, value, text }];
  });
  return {
    query: Object.fromEntries(
      chosen.map(({ name, value }) => [name, value]),
    ) as ChosenFilters<F>["query"], // by their schemas
    shown: Object.fromEntries(chosen.map(({ name, text }) => [name, text])),
    address,
    isFiltered: Object.values(address).some((text) => text !== ""),
    choose: (changes, options) => {
      const next = { ...address, ...changes };
      const changed = all.flatMap(({ name, filter, inAddress }) => {
        const isGone = filter.goneWith !== undefined && changes[filter.goneWith] !== undefined;
        const text = isPossible(filter, next) && !isGone ? changes[name] : "";
        return text === undefined ? [] : [[inAddress, text] as const];
      });
      chooseMany(Object.fromEntries(changed), options);
    },
  };
}

/** The address's text; empty if neither the call nor the field accepts it, so it was not chosen here. */
function meantBy({ field, schema }: Filter, text: string): string {
  if (text === "" || field?.kind === "search" || z.safeDecode(schema, text).success) return text;
  const isOffered = field?.kind === "choice" && field.options("").some((one) => one.value === text);
  return isOffered ? text : "";
}

/** The filter's value, or its default if the address has none; invalid values count as missing. */
function textOf({ field, schema }: Filter, text: string): string {
  if (field?.kind !== "choice") return text;
  if (text === field.all) return "";
  return text !== "" && z.safeDecode(schema, text).success ? text : field.usual;
}

/** A typed search goes to the call, which says why it refuses it. Any other refused value was not chosen here. */
function valueOf({ field, schema }: Filter, text: string): unknown {
  if (field?.kind === "search") return text === "" ? undefined : text;
  const read = z.safeDecode(schema, text === "" ? undefined : text);
  return read.success ? read.data : undefined;
}
