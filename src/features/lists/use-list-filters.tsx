import { type Day, isDay } from "#domain/day.ts";
import { useAddressFilters } from "#web/address-filters.tsx";

/** What the address filters a list by, under the names that the list's call has for it. */
export function useListFilters<Name extends string>(names: readonly Name[]) {
  const { read, has, chooseMany } = useAddressFilters<Name>();
  return {
    read,
    /** One of some choices; undefined for none of them. */
    readChoice: <Choice extends string>(name: Name, choices: readonly Choice[]) =>
      choices.find((choice) => choice === read(name)),
    readId: (name: Name): number | undefined =>
      /^[1-9]\d{0,14}$/.test(read(name)) ? Number(read(name)) : undefined,
    readDay: (name: Name): Day | undefined => (isDay(read(name)) ? read(name) : undefined),
    isFiltered: names.some(has),
    /** Empty text: not filtered by it. Another filter begins at the first page again. */
    choose: chooseMany,
  };
}
