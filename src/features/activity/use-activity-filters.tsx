import { useSearchParams } from "react-router";
import { type Day, isDay } from "#domain/day.ts";

const names = ["who", "type", "record", "attorney", "from", "to"] as const;
type FilterName = (typeof names)[number];

/** What the address filters the activity by. Another filter begins at the first page again. */
export function useActivityFilters() {
  const [address, setAddress] = useSearchParams();
  const read = (name: FilterName) => address.get(name) ?? "";
  return {
    who: read("who"),
    type: read("type"),
    record: numberIn(read("record")),
    attorney: numberIn(read("attorney")),
    from: dayIn(read("from")),
    to: dayIn(read("to")),
    isFiltered: names.some((name) => address.has(name)),
    choose: (name: FilterName, value: string) =>
      setAddress((before) => {
        const next = new URLSearchParams(before);
        next.delete("page");
        if (name === "type") next.delete("record"); // a number of another kind of record
        if (value === "") next.delete(name);
        else next.set(name, value);
        return next;
      }),
  };
}

export type ActivityFilters = ReturnType<typeof useActivityFilters>;

function numberIn(text: string): number | undefined {
  return /^[1-9]\d{0,14}$/.test(text) ? Number(text) : undefined;
}

function dayIn(text: string): Day | undefined {
  return isDay(text) ? text : undefined;
}
