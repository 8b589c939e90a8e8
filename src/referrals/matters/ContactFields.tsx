import type { FieldProps } from "#kit/web/ui/Field.tsx";
import { FieldRow } from "#kit/web/ui/FieldRow.tsx";
import { StateField } from "#kit/web/ui/StateField.tsx";
import { TextField } from "#kit/web/ui/TextField.tsx";

/** A client's contact details as typed, under the names of the request. */
export interface TypedContact {
  first_name: string;
  last_name: string;
  phone: string;
  email: string;
  address_line_1: string;
  address_line_2: string;
  address_city: string;
  address_region: string;
  address_zip: string;
}

export const contactLabels: TypedContact = {
  first_name: "First name",
  last_name: "Last name",
  phone: "Phone",
  email: "Email",
  address_line_1: "Address line 1",
  address_line_2: "Address line 2",
  address_city: "City",
  address_region: "State",
  address_zip: "Zip",
};

interface ContactFieldsProps {
  /** As `form.field` returns it. */
  field: (name: keyof TypedContact) => Omit<FieldProps<string>, "label">;
}

/** The fields shared by the forms that record and edit a referral. */
export function ContactFields({ field }: ContactFieldsProps) {
  const labelled = (name: keyof TypedContact) => ({ label: contactLabels[name], ...field(name) });
  return (
    <>
      <FieldRow>
        <TextField {...labelled("first_name")} />
        <TextField {...labelled("last_name")} />
      </FieldRow>
      <FieldRow>
        <TextField type="tel" {...labelled("phone")} />
        <TextField type="email" {...labelled("email")} />
      </FieldRow>
      <TextField {...labelled("address_line_1")} />
      <TextField {...labelled("address_line_2")} />
      <FieldRow place>
        <TextField {...labelled("address_city")} />
        <StateField {...labelled("address_region")} />
        <TextField inputMode="numeric" {...labelled("address_zip")} />
      </FieldRow>
    </>
  );
}
