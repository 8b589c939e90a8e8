import { choiceLabel, useChoices } from "#list/RecordSelect.tsx";
import type { FieldProps } from "#web/ui/Field.tsx";
import { SearchSelect } from "#web/ui/SearchSelect.tsx";
import type { Check } from "./contract.ts";

export type Payer = Check["payer"];

/** Who a check is from: a firm or an attorney, also one who has left and still owes. */
export function PayerSelect({ value, onChange, ...props }: FieldProps<Payer | null>) {
  const { options, isPending, search } = useChoices("payers");
  const named = options.map((choice) => ({
    value: keyOf(choice),
    label: choiceLabel(choice, "payers"),
  }));
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
      onSearch={search}
      onChange={(key) => {
        const choice = options.find((one) => keyOf(one) === key);
        onChange(choice ? { kind: choice.kind, id: choice.id, name: choice.name } : null);
      }}
    />
  );
}

const keyOf = ({ kind, id }: Pick<Payer, "kind" | "id">): string => `${kind} ${id}`;
