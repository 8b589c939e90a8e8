import { CheckboxField } from "#kit/web/ui/ChoiceField.tsx";
import type { FieldProps } from "#kit/web/ui/Field.tsx";

/** Offered if the payer's firm, or another of its attorneys, already has a check with this number. */
export function AnotherCheckField(field: Omit<FieldProps<boolean>, "label">) {
  if (!field.error && !field.value) return null;
  return <CheckboxField label="This is a different check" {...field} />;
}
