import type { Day } from "#domain/day.ts";
import { CheckboxField } from "#web/ui/ChoiceField.tsx";
import { DayField } from "#web/ui/DayField.tsx";
import type { FieldProps } from "#web/ui/Field.tsx";
import { TextArea } from "#web/ui/TextField.tsx";
import { canBillImmediately, type TypedTerms } from "./enrolment-terms.tsx";

type Fields = { [Name in keyof TypedTerms]: Omit<FieldProps<TypedTerms[Name]>, "label"> };

interface TermFieldsProps {
  typed: TypedTerms;
  /** What `form.field` gives for each of the names. */
  fields: Fields;
  today: Day;
}

/** The fields that enrolling one attorney and enrolling all of them have in common. */
export function TermFields({ typed, fields, today }: TermFieldsProps) {
  return (
    <>
      <DayField label="Start date" required {...fields.start_date} />
      {canBillImmediately(typed, today) && (
        <CheckboxField label="Bill immediately" {...fields.bill_immediately} />
      )}
      <TextArea label="Note" {...fields.note} />
    </>
  );
}
