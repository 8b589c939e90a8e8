import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { listAttorneys } from "#features/attorneys/contract.ts";
import { listFirms } from "#features/firms/contract.ts";
import { endpointQuery } from "#web/queries.tsx";
import type { FieldProps } from "#web/ui/Field.tsx";
import { SearchSelect } from "#web/ui/SearchSelect.tsx";
import { counted } from "./check-words.tsx";
import type { Check } from "./contract.ts";

export type Payer = Check["payer"];

interface Option {
  payer: Payer;
  label: string;
}

/** As many of each kind as a list that is looked through by eye can hold. */
const perKind = 25;

/** Who a check is from: a firm or an attorney, found by name; an attorney also as in other lists. */
export function PayerSelect({ value, onChange, ...props }: FieldProps<Payer | null>) {
  const [search, setSearch] = useState("");
  const query = { page: 1, per_page: perKind, search };
  const firms = useQuery({
    ...endpointQuery(listFirms, { query }),
    placeholderData: keepPreviousData,
  });
  const attorneys = useQuery({
    ...endpointQuery(listAttorneys, { query }),
    placeholderData: keepPreviousData,
  });
  // Who has left still owes.
  const departed = useQuery({
    ...endpointQuery(listAttorneys, { query: { ...query, status: "left" } }),
    placeholderData: keepPreviousData,
  });
  const options: Option[] = [
    ...(firms.data?.items.map(({ id, name, attorneys: lawyers }) => ({
      payer: { kind: "firm" as const, id, name },
      label: `${name} (firm, ${counted(lawyers.length, "lawyer")})`,
    })) ?? []),
    ...[attorneys, departed].flatMap(
      (list) =>
        list.data?.items.map(({ id, name, email, leftOn }) => ({
          payer: { kind: "attorney" as const, id, name },
          label: `${name} (${leftOn === null ? email : `left, ${email}`})`,
        })) ?? [],
    ),
  ];
  const named = options.map(({ payer, label }) => ({ value: keyOf(payer), label }));
  const isPending = [firms, attorneys, departed].some(
    (list) => list.isPending || list.isPlaceholderData,
  );
  return (
    <SearchSelect
      {...props}
      clearable
      placeholder="Search firms and attorneys"
      options={named}
      value={value && keyOf(value)}
      chosen={
        value &&
        (named.find((option) => option.value === keyOf(value)) ?? {
          value: keyOf(value),
          label: value.name,
        })
      }
      pending={isPending}
      onSearch={setSearch}
      onChange={(key) => onChange(options.find(({ payer }) => keyOf(payer) === key)?.payer ?? null)}
    />
  );
}

const keyOf = ({ kind, id }: Payer): string => `${kind} ${id}`;
