import { useNavigate, useSearchParams } from "react-router";
import { requestBody, call } from "#kit/web/api.tsx";
import { ButtonLink, SubmitButton } from "#kit/web/ui/Button.tsx";
import { CheckboxField, RadioField } from "#kit/web/ui/ChoiceField.tsx";
import { Form } from "#kit/web/ui/Form.tsx";
import { Muted, Row } from "#kit/web/ui/layout.tsx";
import { PageHeading } from "#kit/web/ui/PageHeading.tsx";
import { TextArea } from "#kit/web/ui/TextField.tsx";
import { useForm } from "#kit/web/ui/use-form.tsx";
import { CandidateSelect } from "./CandidateSelect.tsx";
import { ContactFields, contactLabels, type TypedContact } from "./ContactFields.tsx";
import { type contactPreferences, recordMatter } from "./contract.ts";
import { SameClientNote } from "./SameClientNote.tsx";

type Preference = (typeof contactPreferences)[number];

interface TypedMatter extends TypedContact {
  contact_preference: Preference;
  followup_consent: boolean;
  attorney_id: string | null;
  note: string;
}

const emptyMatter: TypedMatter = {
  first_name: "",
  last_name: "",
  phone: "",
  email: "",
  address_line_1: "",
  address_line_2: "",
  address_city: "",
  address_region: "",
  address_zip: "",
  contact_preference: "either",
  followup_consent: false,
  attorney_id: null,
  note: "",
};

const preferenceOptions = [
  { value: "phone", label: "By phone" },
  { value: "email", label: "By email" },
  { value: "either", label: "By either" },
] as const satisfies { value: Preference; label: string }[];

/** Records a client's request and, if an attorney is chosen, refers it. */
export function RecordMatterScreen() {
  const navigate = useNavigate();
  const asked = useAttorneyFromAddress();
  const form = useForm({
    start: { ...emptyMatter, attorney_id: asked },
    labels: { ...contactLabels, attorney_id: "Attorney" },
    send: ({ attorney_id, ...typed }) => {
      const chosen = attorney_id === null ? {} : { attorney_id: Number(attorney_id) };
      return call(recordMatter, { body: requestBody(recordMatter, { ...typed, ...chosen }) });
    },
    onDone: ({ id }) => void navigate(`/admin/matters/${id}`),
  });
  const isReferred = form.typed.attorney_id !== null;
  return (
    <>
      <PageHeading title="Record a referral" />
      <Form form={form}>
        <Muted small>Only the name is required.</Muted>
        <ContactFields field={form.field} />
        <SameClientNote typed={form.typed} />
        <RadioField
          inline
          label="How the client prefers to be contacted"
          options={preferenceOptions}
          {...form.field("contact_preference")}
        />
        <CheckboxField
          label="The client agreed to be asked how the referral went"
          {...form.field("followup_consent")}
        />
        <CandidateSelect
          label="Attorney"
          hint="Longest wait first. Attorneys on vacation or suspended are not listed. Leave blank to refer later."
          {...form.field("attorney_id")}
        />
        <TextArea
          label="Note for the attorney"
          hint="For example, what the client needs help with"
          {...form.field("note")}
        />
        <Row>
          <SubmitButton pending={form.pending}>
            {isReferred ? "Record and refer" : "Record referral"}
          </SubmitButton>
          <ButtonLink to="/admin/matters">Cancel</ButtonLink>
        </Row>
      </Form>
    </>
  );
}

/** The attorney in the address, set by a link on the attorney's page. */
function useAttorneyFromAddress(): string | null {
  const asked = useSearchParams()[0].get("attorney") ?? "";
  return /^[1-9]\d{0,14}$/.test(asked) ? asked : null;
}
