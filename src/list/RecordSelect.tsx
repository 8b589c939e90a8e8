import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { z } from "zod";
import { endpointQuery } from "#web/queries.tsx";
import type { FieldProps } from "#web/ui/Field.tsx";
import { SearchSelect } from "#web/ui/SearchSelect.tsx";
import { type Choice, listChoices } from "#list/choices-contract.ts";

type Kind = z.output<typeof listChoices.query>["of"];

interface RecordSelectProps extends FieldProps<string | null> {
  of: "attorneys" | "firms";
  /** Where none is chosen. */
  placeholder?: string;
  /** What the value is called, where the screen knows that already. */
  valueName?: string | undefined;
}

/**
 * One attorney of the panel, or one firm, found by typing: those whose name matches come first. The value is its
 * id; one that was chosen elsewhere, such as in the address, is named too.
 */
export function RecordSelect({ of, value, valueName, onChange, ...props }: RecordSelectProps) {
  const { options, isPending, search } = useChoices(of);
  const [picked, setPicked] = useState<Choice | null>(null);
  const known = [picked, ...options].find((choice) => String(choice?.id) === value);
  const named = useQuery({
    ...endpointQuery(listChoices, { query: { of, search: "", id: Number(value) } }),
    enabled: value !== null && !known && valueName === undefined,
  });
  const chosen = known ?? named.data?.[0];
  const label = chosen ? choiceLabel(chosen, of) : valueName;
  return (
    <SearchSelect
      {...props}
      value={value}
      clearable
      options={options.map((choice) => ({
        value: String(choice.id),
        label: choiceLabel(choice, of),
      }))}
      chosen={value === null || label === undefined ? null : { value, label }}
      pending={isPending}
      onSearch={search}
      onChange={(id) => {
        setPicked(options.find((choice) => String(choice.id) === id) ?? null);
        onChange(id);
      }}
    />
  );
}

/** What can be chosen, by what was typed last. */
export function useChoices(of: Kind) {
  const [typed, search] = useState("");
  const list = useQuery({
    ...endpointQuery(listChoices, { query: { of, search: typed } }),
    placeholderData: keepPreviousData,
  });
  // A refetch keeps the same list.
  const isPending = list.isPending || list.isPlaceholderData;
  return { options: list.data ?? [], isPending, search };
}

/** A name with what tells it from another like it, and by what it was found where that is not the name. */
export function choiceLabel(choice: Choice, of: Kind): string {
  const { kind, name, email, lawyers, leftOn, foundBy } = choice;
  const isFirm = kind === "firm";
  const facts = [
    isFirm && of === "payers" && `firm, ${lawyerCount(lawyers ?? 0)}`,
    leftOn !== null && "left",
    foundBy === null ? !isFirm && email : `found by ${foundBy}`,
  ].filter(Boolean);
  return facts.length === 0 ? name : `${name} (${facts.join(", ")})`;
}

const lawyerCount = (count: number): string =>
  `${count.toLocaleString("en-US")} ${count === 1 ? "lawyer" : "lawyers"}`;
