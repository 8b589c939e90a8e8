import { keepPreviousData, skipToken, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { FieldProps } from "#kit/web/ui/Field.tsx";
import { type SearchOption, SearchSelect } from "#kit/web/ui/SearchSelect.tsx";

/** A call, and what to take from its answer. */
interface Asking<Answer, Wanted> {
  queryKey: readonly unknown[];
  queryFn: () => Promise<Answer>;
  select: (answer: Answer) => Wanted;
}

interface FoundSelectProps<Found, Answer, Named> extends Omit<
  FieldProps<string | null>,
  "onChange"
> {
  /** Shown when none is chosen. */
  placeholder?: string | undefined;
  /** Asks the server for matches of the typed text, best match first. */
  find: (typed: string) => Asking<Answer, readonly Found[]>;
  optionOf: (found: Found) => SearchOption;
  onChange: (value: string | null, found: Found | null) => void;
  /** The value's name, if the screen already knows it. */
  valueName?: string | undefined;
  /** Asks for the name if the screen does not know it, such as for a record in the address. */
  findName?: (value: string) => Asking<Named, string | undefined>;
  /** The name differs from the list's words, and applies only once it cannot be fetched. */
  hasOtherName?: boolean;
}

/** One of many records, searched by the server as the user types. The value is the chosen option's. */
export function FoundSelect<Found, Answer, Named>(props: FoundSelectProps<Found, Answer, Named>) {
  const { find, optionOf, onChange, valueName, findName, hasOtherName, ...field } = props;
  const { value } = field;
  const [typed, search] = useState("");
  const [picked, setPicked] = useState<SearchOption | null>(null);
  const list = useQuery({ ...find(typed), placeholderData: keepPreviousData });
  const found = list.data ?? [];
  const options = found.map(optionOf);
  const own = picked?.value === value ? picked : null;
  const here = own ?? options.find((option) => option.value === value);
  const isAsked =
    value !== null && !own && valueName === undefined && (hasOtherName === true || !here);
  const named = useQuery({
    ...(findName?.(value ?? "") ?? { queryKey: ["name"], queryFn: skipToken }),
    enabled: isAsked,
  });
  const listed = isAsked && hasOtherName && named.isPending ? undefined : here?.label;
  const label = own?.label ?? named.data ?? listed ?? valueName;
  return (
    <SearchSelect
      {...field}
      clearable
      options={options}
      chosen={value === null || label === undefined ? null : { value, label }}
      pending={list.isPending || list.isPlaceholderData} // a refetch keeps the same list
      onSearch={search}
      onChange={(chosen) => {
        const at = options.findIndex((option) => option.value === chosen);
        setPicked(options[at] ?? null);
        onChange(chosen, found[at] ?? null);
      }}
    />
  );
}
