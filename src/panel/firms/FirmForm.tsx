import { SubmitButton } from "#kit/web/ui/Button.tsx";
import { DialogActions } from "#kit/web/ui/Dialog.tsx";
import { Form } from "#kit/web/ui/Form.tsx";
import { TextField } from "#kit/web/ui/TextField.tsx";
import { useForm } from "#kit/web/ui/use-form.tsx";

export interface TypedFirm {
  name: string;
  billing_email: string;
}

interface FirmFormProps<Answer> {
  start: TypedFirm;
  /** The button's label. */
  action: string;
  send: (typed: TypedFirm) => Promise<Answer>;
  onDone: (answer: Answer) => void;
}

/** A firm's name and billing email. Its lawyers are added on its page. */
export function FirmForm<Answer>({ start, action, send, onDone }: FirmFormProps<Answer>) {
  const form = useForm({ start, labels: { billing_email: "Billing email" }, send, onDone });
  return (
    <Form form={form}>
      <TextField label="Name" {...form.field("name")} />
      <TextField
        label="Billing email"
        hint="Optional. The person at the firm who pays its attorneys’ dues."
        type="email"
        {...form.field("billing_email")}
      />
      <DialogActions>
        <SubmitButton pending={form.pending}>{action}</SubmitButton>
      </DialogActions>
    </Form>
  );
}
