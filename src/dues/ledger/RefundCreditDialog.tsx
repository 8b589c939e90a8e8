import {
  type Cents,
  cents,
  centsFromDollars,
  cleanAmount,
  dollarsText,
  formatMoney,
} from "#kit/domain/money.ts";
import { requestBody, call } from "#kit/web/api.tsx";
import { useFrozenWhilePending } from "#kit/web/frozen-while-pending.tsx";
import { AmountField } from "#kit/web/ui/AmountField.tsx";
import { SubmitButton } from "#kit/web/ui/Button.tsx";
import { Dialog, DialogActions } from "#kit/web/ui/Dialog.tsx";
import { Form } from "#kit/web/ui/Form.tsx";
import { ActionPreview } from "#kit/web/ui/states.tsx";
import { TextArea } from "#kit/web/ui/TextField.tsx";
import { useForm } from "#kit/web/ui/use-form.tsx";
import type { CreditDialogProps } from "./ApplyCreditDialog.tsx";
import { changeCredit } from "./contract.ts";

/** Records a refund of credit. The network sends the money itself. */
export function RefundCreditDialog(props: CreditDialogProps) {
  const { attorneyId, onClose, onDone } = props;
  const form = useForm({
    start: { amount: dollarsText(props.credit), note: "" },
    send: async (typed) => {
      const body = requestBody(changeCredit, {
        action: "give_back",
        ...typed,
        amount: cleanAmount(typed.amount),
      });
      const { credit: left } = await call(changeCredit, { params: { id: attorneyId }, body });
      return { refunded: body.amount, left };
    },
    onDone: ({ refunded, left }) =>
      onDone(
        `A refund of ${formatMoney(refunded)} was recorded. ${formatMoney(left)} of credit is left.`,
      ),
  });
  const credit = useFrozenWhilePending(props.credit, form.pending);
  const amount = centsFromDollars(cleanAmount(form.typed.amount));
  return (
    <Dialog title="Refund credit" onClose={onClose}>
      <Form form={form} label="Refund credit">
        <AmountField label="Amount in dollars" {...form.field("amount")} />
        <TextArea
          label="Note"
          hint="How you refunded it, such as “Our check 512”. The attorney sees this."
          {...form.field("note")}
        />
        <ActionPreview>{consequence(credit, amount)}</ActionPreview>
        <DialogActions>
          <SubmitButton pending={form.pending}>Record refund of credit</SubmitButton>
        </DialogActions>
      </Form>
    </Dialog>
  );
}

function consequence(credit: Cents, amount: Cents | null): string {
  if (amount === null || amount <= 0 || amount > credit)
    return `Enter at most ${formatMoney(credit)}, the credit that is left.`;
  return `The credit goes from ${formatMoney(credit)} to ${formatMoney(cents(credit - amount))}. This does not send money. Mail the check yourself.`;
}
