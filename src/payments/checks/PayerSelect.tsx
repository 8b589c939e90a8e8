import { choiceLabel, findChoices } from "#kit/list/RecordSelect.tsx";
import { FoundSelect } from "#kit/list/FoundSelect.tsx";
import type { FieldProps } from "#kit/web/ui/Field.tsx";
import type { Check } from "./contract.ts";

export type Payer = Check["payer"];

/** Chooses a check's payer: a firm or an attorney, including attorneys who have left. */
export function PayerSelect({ value, onChange, ...props }: FieldProps<Payer | null>) {
  return (
    <FoundSelect
      {...props}
      placeholder="Search firms and attorneys"
      value={value && keyOf(value)}
      valueName={value?.name}
      find={findChoices("payers")}
      optionOf={(choice) => ({ value: keyOf(choice), label: choiceLabel(choice, "payers") })}
      onChange={(_, choice) =>
        onChange(choice && { kind: choice.kind, id: choice.id, name: choice.name })
      }
    />
  );
}

const keyOf = ({ kind, id }: Pick<Payer, "kind" | "id">): string => `${kind} ${id}`;
