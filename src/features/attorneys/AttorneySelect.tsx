import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { endpointQuery } from "#web/queries.tsx";
import type { FieldProps } from "#web/ui/Field.tsx";
import { type SearchOption, SearchSelect } from "#web/ui/SearchSelect.tsx";
import { type AttorneyRow, listAttorneys, showAttorney } from "./contract.ts";

interface AttorneySelectProps extends FieldProps<string | null> {
  placeholder?: string;
}

/** One attorney of the panel, found by name, email, phone or bar number, however large the panel. */
export function AttorneySelect(props: AttorneySelectProps) {
  const [search, setSearch] = useState("");
  const [picked, setPicked] = useState<SearchOption | null>(null);
  const list = useQuery({
    ...endpointQuery(listAttorneys, { query: { page: 1, per_page: 200, search } }),
    placeholderData: keepPreviousData,
  });
  const options = list.data?.items.map(asOption) ?? [];
  const isKnown = [...options, picked].some((option) => option?.value === props.value);
  const named = useQuery({
    ...endpointQuery(showAttorney, { params: { id: Number(props.value) } }),
    enabled: props.value !== null && !isKnown && !list.isPending,
  });
  const chosen = picked?.value === props.value ? picked : named.data && asOption(named.data);
  return (
    <SearchSelect
      {...props}
      clearable
      options={options}
      chosen={props.value === null ? null : chosen}
      pending={list.isPending || list.isPlaceholderData} // a refetch keeps the same list
      onSearch={setSearch}
      onChange={(value) => {
        setPicked(options.find((option) => option.value === value) ?? null);
        props.onChange(value);
      }}
    />
  );
}

function asOption({ id, name, email }: Pick<AttorneyRow, "id" | "name" | "email">): SearchOption {
  return { value: String(id), label: `${name} (${email})` };
}
