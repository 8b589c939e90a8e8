import { formatMoney } from "#kit/domain/money.ts";
import { call, requestBody } from "#kit/web/api.tsx";
import { SubmitButton } from "#kit/web/ui/Button.tsx";
import { Dialog, DialogActions } from "#kit/web/ui/Dialog.tsx";
import { Form } from "#kit/web/ui/Form.tsx";
import { ActionPreview } from "#kit/web/ui/states.tsx";
import { TextArea, TextField } from "#kit/web/ui/TextField.tsx";
import { useForm } from "#kit/web/ui/use-form.tsx";
import { giveHeldMoneyBack, type HeldMoney } from "./contract.ts";

export interface HeldDialogProps {
  held: HeldMoney;
  onClose: () => void;
  /** Called with a sentence about the result. */
  onDone: (result: string) => void;
}

/** Records that held money was refunded. The network sends the money itself. */
export function RefundHeldMoneyDialog({ held, onClose, onDone }: HeldDialogProps) {
  const { id, amount, checkNumber, payerName } = held;
  const title = `Refund money held from check ${checkNumber}`;
  const form = useForm({
    start: { account_name: held.accountName, note: "" },
    labels: { account_name: "Bank account" },
    send: (typed) =>
      call(giveHeldMoneyBack, { params: { id }, body: requestBody(giveHeldMoneyBack, typed) }),
    onDone: () => onDone(`${formatMoney(amount)} recorded as refunded to ${payerName}.`),
  });
  return (
    <Dialog title={title} onClose={onClose}>
      <Form form={form} label={title}>
        <TextField
          label="Bank account"
          hint="The account that the refund comes from"
          {...form.field("account_name")}
        />
        <TextArea
          label="Note"
          hint="How it was refunded, such as “Our check 512”"
          {...form.field("note")}
        />
        <ActionPreview>
          {`${formatMoney(amount)} goes back to ${payerName}. This does not send money. Mail the check yourself.`}
        </ActionPreview>
        <DialogActions>
          <SubmitButton pending={form.pending}>{title}</SubmitButton>
        </DialogActions>
      </Form>
    </Dialog>
  );
}
