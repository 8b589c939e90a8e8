import { type Day, isDay } from "#domain/day.ts";
import { useAddressFilters } from "#web/address-filters.tsx";

const names = ["who", "type", "record", "attorney", "from", "to"] as const;
type FilterName = (typeof names)[number];

/** What the address filters the activity by. */
export function useActivityFilters() {
  const { read, has, choose } = useAddressFilters<FilterName>();
  return {
    who: read("who"),
    type: read("type"),
    record: numberIn(read("record")),
    attorney: numberIn(read("attorney")),
    from: dayIn(read("from")),
    to: dayIn(read("to")),
    isFiltered: names.some(has),
    choose: (name: FilterName, value: string) =>
      choose(name, value, { without: name === "type" ? ["record"] : [] }), // a number of another kind of record
  };
}

export type ActivityFilters = ReturnType<typeof useActivityFilters>;

function numberIn(text: string): number | undefined {
  return /^[1-9]\d{0,14}$/.test(text) ? Number(text) : undefined;
}

function dayIn(text: string): Day | undefined {
  return isDay(text) ? text : undefined;
}
