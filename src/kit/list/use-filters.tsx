import { z } from "zod";
import { useAddressFilters } from "#kit/web/address-filters.tsx";
import type { Filter, Filters, FiltersOf } from "#kit/list/define-list.ts";

/** What an address filters a list by. */
export interface ChosenFilters<F extends FiltersOf> {
  /** As the call takes them. */
  query: { [K in keyof F]: z.output<F[K]["schema"]> };
  /** As text: what the list shows, with what it shows without being asked. */
  shown: Filters;
  /** As they stand in the address, by the names of the call; empty where they do not. */
  address: Filters;
  /** The address has some that mean something. */
  isFiltered: boolean;
  /** Empty text: not filtered by it. Another filter begins at the first page again. */
  choose: (changes: Filters, options?: { replace: boolean }) => void;
}

/** The filters of a list that stand in the address; what its call would refuse counts as missing. */
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

/** What an address says; what neither the call nor the field knows was not chosen here, and counts as missing. */
function meantBy({ field, schema }: Filter, text: string): string {
  if (text === "" || field?.kind === "search" || z.safeDecode(schema, text).success) return text;
  const isOffered = field?.kind === "choice" && field.options("").some((one) => one.value === text);
  return isOffered ? text : "";
}

/** What an address says, or means without saying it; what it cannot mean counts as missing. */
function textOf({ field, schema }: Filter, text: string): string {
  if (field?.kind !== "choice") return text;
  if (text === field.all) return "";
  return text !== "" && z.safeDecode(schema, text).success ? text : field.usual;
}

/** Of what people typed the call says why it is refused; what else it would refuse was not chosen here. */
function valueOf({ field, schema }: Filter, text: string): unknown {
  if (field?.kind === "search") return text === "" ? undefined : text;
  const read = z.safeDecode(schema, text === "" ? undefined : text);
  return read.success ? read.data : undefined;
}
