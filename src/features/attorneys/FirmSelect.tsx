import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { listFirms } from "#features/firms/contract.ts";
import { endpointQuery } from "#web/queries.tsx";
import type { FieldProps } from "#web/ui/Field.tsx";
import { type SearchOption, SearchSelect } from "#web/ui/SearchSelect.tsx";

interface FirmSelectProps extends FieldProps<string | null> {
  /** Where none is chosen. */
  placeholder?: string;
  /** The firm as it is; where it comes later than its id, the field goes by that until then. */
  present: Named | null;
}

interface Named {
  id: number;
  name: string;
}

/** One law firm, found by its name. */
export function FirmSelect({ present, ...props }: FirmSelectProps) {
  const [search, setSearch] = useState("");
  const [picked, setPicked] = useState<SearchOption | null>(null);
  const list = useQuery({
    ...endpointQuery(listFirms, { query: { page: 1, per_page: 200, search } }),
    placeholderData: keepPreviousData,
  });
  const options = list.data?.items.map(asOption) ?? [];
  const known = [picked, present && asOption(present)];
  return (
    <SearchSelect
      placeholder="None"
      {...props}
      clearable
      options={options}
      chosen={
        props.value === null
          ? null
          : (known.find((option) => option?.value === props.value) ?? undefined)
      }
      pending={list.isPending || list.isPlaceholderData}
      onSearch={setSearch}
      onChange={(value) => {
        setPicked(options.find((option) => option.value === value) ?? null);
        props.onChange(value);
      }}
    />
  );
}

function asOption({ id, name }: Named): SearchOption {
  return { value: String(id), label: name };
}
