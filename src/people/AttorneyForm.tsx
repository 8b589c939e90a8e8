import { Suspense } from "react";
import { lazyComponent } from "#kit/web/lazy-component.tsx";
import { SubmitButton } from "#kit/web/ui/Button.tsx";
import { FieldRow } from "#kit/web/ui/FieldRow.tsx";
import { Form } from "#kit/web/ui/Form.tsx";
import { Muted } from "#kit/web/ui/layout.tsx";
import { Loading } from "#kit/web/ui/states.tsx";
import { StateField } from "#kit/web/ui/StateField.tsx";
import { TextField } from "#kit/web/ui/TextField.tsx";
import { useForm } from "#kit/web/ui/use-form.tsx";
import type { AttorneyDetails } from "./contract.ts";

/** The list of attorneys does not wait for a field to search in. */
const RecordSelect = lazyComponent(
  "The list of firms",
  async () => (await import("#kit/list/RecordSelect.tsx")).RecordSelect,
);

/** The details as they are typed, by the names that the requests give them. */
export type TypedDetails = Record<keyof AttorneyDetails, string> & { firm_id: string | null };

const labels: Record<keyof TypedDetails, string> = {
  firm_id: "Firm",
  first_name: "First name",
  last_name: "Last name",
  email: "Email address",
  phone: "Phone",
  bar_number: "Bar number",
  address_line_1: "Address line 1",
  address_line_2: "Address line 2",
  address_city: "City",
  address_region: "State",
  address_zip: "ZIP code",
};

export const noDetails: TypedDetails = {
  first_name: "",
  last_name: "",
  email: "",
  phone: "",
  bar_number: "",
  address_line_1: "",
  address_line_2: "",
  address_city: "",
  address_region: "",
  address_zip: "",
  firm_id: null,
};

interface AttorneyFormProps<Answer> {
  start: TypedDetails;
  /** The firm that is chosen at first. */
  firm?: { id: number; name: string } | null;
  /** What the button says. */
  action: string;
  send: (typed: TypedDetails) => Promise<Answer>;
  onDone: (answer: Answer) => void;
}

/** All that an administrator writes of an attorney. */
export function AttorneyForm<Answer>(props: AttorneyFormProps<Answer>) {
  const { start, firm = null, action, send, onDone } = props;
  const form = useForm({ start, labels, send, onDone });
  const field = (name: keyof AttorneyDetails) => ({ label: labels[name], ...form.field(name) });
  return (
    <Form form={form}>
      <Muted small>A name and an email address are needed; the rest can come later.</Muted>
      <FieldRow>
        <TextField {...field("first_name")} />
        <TextField {...field("last_name")} />
      </FieldRow>
      <TextField type="email" {...field("email")} />
      <FieldRow>
        <TextField type="tel" {...field("phone")} />
        <TextField {...field("bar_number")} />
      </FieldRow>
      <Suspense fallback={<Loading />}>
        <RecordSelect
          of="firms"
          valueName={firm?.name}
          label={labels.firm_id}
          {...form.field("firm_id")}
        />
      </Suspense>
      <TextField {...field("address_line_1")} />
      <TextField {...field("address_line_2")} />
      <FieldRow place>
        <TextField {...field("address_city")} />
        <StateField {...field("address_region")} />
        <TextField inputMode="numeric" {...field("address_zip")} />
      </FieldRow>
      <div>
        <SubmitButton pending={form.pending}>{action}</SubmitButton>
      </div>
    </Form>
  );
}

/** What was chosen, as requests name it. */
export function withFirmId<Typed extends { firm_id?: string | null }>(typed: Typed) {
  const { firm_id: chosen, ...others } = typed;
  if (chosen === undefined) return others;
  return { ...others, firm_id: chosen === null ? null : Number(chosen) };
}
