import { useSearchParams } from "react-router";
import { type Day, isDay } from "#domain/day.ts";

/** What the address filters a list by, under the names that the list's call has for it. */
export function useListFilters<Name extends string>(names: readonly Name[]) {
  const [address, setAddress] = useSearchParams();
  const read = (name: Name): string => address.get(name) ?? "";
  return {
    read,
    /** One of some choices; undefined for none of them. */
    readChoice: <Choice extends string>(name: Name, choices: readonly Choice[]) =>
      choices.find((choice) => choice === read(name)),
    readId: (name: Name): number | undefined =>
      /^[1-9]\d{0,14}$/.test(read(name)) ? Number(read(name)) : undefined,
    readDay: (name: Name): Day | undefined => (isDay(read(name)) ? read(name) : undefined),
    isFiltered: names.some((name) => address.has(name)),
    /** Empty text: not filtered by it. Another filter begins at the first page again. */
    choose: (changes: Partial<Record<Name, string>>, options?: { replace: boolean }) =>
      setAddress(() => {
        // As it is now: a search comes a moment after its typing, and another filter may have come between.
        const next = new URLSearchParams(window.location.search);
        next.delete("page");
        for (const name of names) {
          const value = changes[name];
          if (value === "") next.delete(name);
          else if (value !== undefined) next.set(name, value);
        }
        return next;
      }, options),
  };
}
