import { keepPreviousData, skipToken, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { FieldProps } from "#kit/web/ui/Field.tsx";
import { type SearchOption, SearchSelect } from "#kit/web/ui/SearchSelect.tsx";

/** A call, and what is wanted of its answer. */
interface Asking<Answer, Wanted> {
  queryKey: readonly unknown[];
  queryFn: () => Promise<Answer>;
  select: (answer: Answer) => Wanted;
}

interface FoundSelectProps<Found, Answer, Named> extends Omit<
  FieldProps<string | null>,
  "onChange"
> {
  /** Where none is chosen. */
  placeholder?: string | undefined;
  /** Asks the server for those that match what was typed, the best match first. */
  find: (typed: string) => Asking<Answer, readonly Found[]>;
  optionOf: (found: Found) => SearchOption;
  onChange: (value: string | null, found: Found | null) => void;
  /** What the value is called, where the screen knows that already. */
  valueName?: string | undefined;
  /** Asks for it where the screen does not, such as of one that the address names. */
  findName?: (value: string) => Asking<Named, string | undefined>;
  /** That has other words than the list, which count once it cannot be asked for. */
  hasOtherName?: boolean;
}

/** One of many records, found by typing: the server looks for them. The value is what its option has. */
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
