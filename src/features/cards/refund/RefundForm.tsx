import { type Cents, formatMoney } from "#domain/money.ts";
import { callForAnswer, requestBody } from "#web/api.tsx";
import { SubmitButton } from "#web/ui/Button.tsx";
import { DialogActions } from "#web/ui/Dialog.tsx";
import { Form } from "#web/ui/Form.tsx";
import { ActionPreview } from "#web/ui/states.tsx";
import { TextArea } from "#web/ui/TextField.tsx";
import { useForm } from "#web/ui/use-form.tsx";
import type { Endpoint } from "#contract/endpoint.ts";
import type { refundPayment } from "#features/cards/contract.ts";

interface RefundFormProps {
  label: string;
  refund: Omit<typeof refundPayment, "object"> & Pick<Endpoint, "object">;
  /** Of the payment or the charge. */
  id: number;
  amount: Cents;
  /** What it will do, in a sentence; `done` says what it did, where the answer does not. */
  preview: string;
  done: string;
  onDone: (result: string) => void;
}

/** Gives money back to a card, for a reason. */
export function RefundForm({ label, refund, id, amount, preview, done, onDone }: RefundFormProps) {
  const form = useForm({
    start: { reason: "" },
    send: async (typed) =>
      await callForAnswer(refund, { params: { id }, body: requestBody(refund, typed) }),
    onDone: ({ message }) => onDone(message ?? done),
  });
  return (
    <Form form={form} label={label}>
      <ActionPreview>{preview}</ActionPreview>
      <TextArea label="Reason" hint="Kept in the record of changes" {...form.field("reason")} />
      <DialogActions>
        <SubmitButton kind="danger" pending={form.pending}>
          {`Refund ${formatMoney(amount)}`}
        </SubmitButton>
      </DialogActions>
    </Form>
  );
}
