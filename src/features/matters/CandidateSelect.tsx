import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { formatDay } from "#domain/day.ts";
import { showAttorney } from "#features/attorneys/contract.ts";
import { endpointQuery } from "#web/queries.tsx";
import type { FieldProps } from "#web/ui/Field.tsx";
import { type SearchOption, SearchSelect } from "#web/ui/SearchSelect.tsx";
import { type Candidate, listCandidates } from "./contract.ts";

/** As many as a list that is looked through by eye can hold; typing finds the others. */
const shown = 50;

/**
 * Who may receive a referral, with what speaks for them: where they are, how many they have, and when the last
 * one was. The best match of the name stands first; with nothing typed, who has waited longest.
 */
export function CandidateSelect(props: FieldProps<string | null>) {
  const [search, setSearch] = useState("");
  const [picked, setPicked] = useState<SearchOption | null>(null);
  const list = useQuery({
    ...endpointQuery(listCandidates, { query: { page: 1, per_page: shown, search } }),
    placeholderData: keepPreviousData,
  });
  const options = list.data?.items.map(asOption) ?? [];
  // Chosen elsewhere, such as in the address, one is named as elsewhere, whether or not the list has them.
  const named = useQuery({
    ...endpointQuery(showAttorney, { params: { id: Number(props.value) } }),
    enabled: props.value !== null && picked?.value !== props.value,
  });
  const recorded = named.data && {
    value: String(named.data.id),
    label: `${named.data.name} (${named.data.email})`,
  };
  const elsewhere = recorded ?? (named.isError ? undefined : null);
  const chosen = picked?.value === props.value ? picked : elsewhere;
  return (
    <SearchSelect
      {...props}
      clearable
      placeholder="Choose an attorney"
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

function asOption({
  id,
  name,
  city,
  openReferrals,
  lastReferredOn,
  foundBy,
}: Candidate): SearchOption {
  const last =
    lastReferredOn === null ? "never referred to" : `last referral ${formatDay(lastReferredOn)}`;
  const facts = [
    foundBy !== null && `found by ${foundBy}`,
    city,
    `${openReferrals.toLocaleString("en-US")} open`,
    last,
  ].filter(Boolean);
  return { value: String(id), label: `${name} (${facts.join(", ")})` };
}
