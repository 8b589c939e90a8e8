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

/** Loaded separately, so that the list of attorneys need not wait for it. */
const RecordSelect = lazyComponent(
  "The list of firms",
  async () => (await import("#kit/list/RecordSelect.tsx")).RecordSelect,
);

/** The details as typed, by their request names. */
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
  /** The firm chosen initially. */
  firm?: { id: number; name: string } | null;
  /** The button's label. */
  action: string;
  send: (typed: TypedDetails) => Promise<Answer>;
  onDone: (answer: Answer) => void;
}

/** The form for an attorney's details. */
export function AttorneyForm<Answer>(props: AttorneyFormProps<Answer>) {
  const { start, firm = null, action, send, onDone } = props;
  const form = useForm({ start, labels, send, onDone });
  const field = (name: keyof AttorneyDetails) => ({ label: labels[name], ...form.field(name) });
  return (
    <Form form={form}>
      <Muted small>Only the name and email address are required.</Muted>
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

/** Converts the chosen firm to a request's `firm_id`. */
export function withFirmId<Typed extends { firm_id?: string | null }>(typed: Typed) {
  const { firm_id: chosen, ...others } = typed;
  if (chosen === undefined) return others;
  return { ...others, firm_id: chosen === null ? null : Number(chosen) };
}
