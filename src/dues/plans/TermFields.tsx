import { useToday } from "#kit/web/session.tsx";
import { CheckboxField } from "#kit/web/ui/ChoiceField.tsx";
import { DayField } from "#kit/web/ui/DayField.tsx";
import type { FieldProps } from "#kit/web/ui/Field.tsx";
import { TextArea } from "#kit/web/ui/TextField.tsx";
import { canBillImmediately, type TypedTerms } from "./enrolment-terms.tsx";

interface TermsForm {
  typed: TypedTerms;
  field: FieldOf<"start_date"> & FieldOf<"bill_immediately"> & FieldOf<"note">;
}

type FieldOf<Name extends keyof TypedTerms> = (
  name: Name,
) => Omit<FieldProps<TypedTerms[Name]>, "label">;

/** The fields shared by the forms that enroll one attorney and many. */
export function TermFields({ form }: { form: TermsForm }) {
  const today = useToday();
  return (
    <>
      <DayField label="Start date" required {...form.field("start_date")} />
      {canBillImmediately(form.typed, today) && (
        <CheckboxField label="Bill immediately" {...form.field("bill_immediately")} />
      )}
      <TextArea label="Note" {...form.field("note")} />
    </>
  );
}
