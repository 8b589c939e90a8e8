import { CheckboxField } from "#kit/web/ui/ChoiceField.tsx";
import type { FieldProps } from "#kit/web/ui/Field.tsx";

/** Offered once a check of the same number is known for the payer's firm or for another attorney of it. */
export function AnotherCheckField(field: Omit<FieldProps<boolean>, "label">) {
  if (!field.error && !field.value) return null;
  return <CheckboxField label="It is another check" {...field} />;
}
