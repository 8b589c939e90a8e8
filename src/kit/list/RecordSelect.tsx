import type { z } from "zod";
import { type Choice, listChoices } from "#kit/list/choices-contract.ts";
import { FoundSelect } from "#kit/list/FoundSelect.tsx";
import { endpointQuery } from "#kit/web/queries.tsx";
import type { FieldProps } from "#kit/web/ui/Field.tsx";

type Kind = z.output<typeof listChoices.query>["of"];

interface RecordSelectProps extends FieldProps<string | null> {
  of: "attorneys" | "firms";
  /** Shown when none is chosen. */
  placeholder?: string;
  /** The value's name, if the screen already knows it. */
  valueName?: string | undefined;
}

/**
 * One attorney of the panel, or one firm, searched by typing, name matches first. The value is its id. A choice
 * that came from elsewhere, such as the address, is named too.
 */
export function RecordSelect({ of, ...props }: RecordSelectProps) {
  return (
    <FoundSelect
      {...props}
      find={findChoices(of)}
      optionOf={(choice) => ({ value: String(choice.id), label: choiceLabel(choice, of) })}
      findName={(id) => ({
        ...endpointQuery(listChoices, { query: { of, search: "", id: Number(id) } }),
        select: ([choice]: Choice[]) => choice && choiceLabel(choice, of),
      })}
    />
  );
}

/** For `FoundSelect`: the choices for the typed text. */
export const findChoices = (of: Kind) => (search: string) => ({
  ...endpointQuery(listChoices, { query: { of, search } }),
  select: (choices: Choice[]) => choices,
});

/** A name with what tells it apart, and what the search matched if not the name. */
export function choiceLabel(choice: Choice, of: Kind): string {
  const { kind, name, email, lawyers, leftOn, foundBy } = choice;
  const isFirm = kind === "firm";
  const facts = [
    isFirm && of === "payers" && `firm, ${attorneyCount(lawyers ?? 0)}`,
    leftOn !== null && "left",
    foundBy === null ? !isFirm && email : `found by ${foundBy}`,
  ].filter(Boolean);
  return facts.length === 0 ? name : `${name} (${facts.join(", ")})`;
}

const attorneyCount = (count: number): string =>
  `${count.toLocaleString("en-US")} ${count === 1 ? "attorney" : "attorneys"}`;
