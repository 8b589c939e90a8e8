import { z } from "zod";
import { CheckNumber, Dollars } from "#kit/contract/fields.ts";
import { cleanAmount, dollarsText, formatMoney } from "#kit/domain/money.ts";
import { requestBody, call } from "#kit/web/api.tsx";
import { AmountField } from "#kit/web/ui/AmountField.tsx";
import { SubmitButton } from "#kit/web/ui/Button.tsx";
import { Dialog } from "#kit/web/ui/Dialog.tsx";
import { Form } from "#kit/web/ui/Form.tsx";
import { Stack } from "#kit/web/ui/layout.tsx";
import { TextField } from "#kit/web/ui/TextField.tsx";
import { useForm } from "#kit/web/ui/use-form.tsx";
import { NameAndNote } from "#kit/web/ui/NameAndNote.tsx";
import type { Debit } from "#dues/ledger/contract.ts";
import { AnotherCheckField } from "./AnotherCheckField.tsx";
import { payByCheck } from "./contract.ts";
import { pendingOf, payableOf, titleOf } from "#dues/ledger/typed-amounts.tsx";

/** One check for one debit, although the call could pay many. */
const TypedCheck = {
  body: z.strictObject({ check_number: CheckNumber, amount: Dollars, another_check: z.boolean() }),
};

interface AddCheckDialogProps {
  debit: Debit;
  onClose: () => void;
  /** Called with a sentence about the result. */
  onDone: (result: string) => void;
}

/** Records a check for a debit. It is pending until confirmed. */
export function AddCheckDialog(props: AddCheckDialogProps) {
  const { debit, onClose } = props;
  return (
    <Dialog title="Pay by check" onClose={onClose}>
      {payableOf(debit) > 0 ? <CheckToAdd {...props} /> : <NothingToPay debit={debit} />}
    </Dialog>
  );
}

function NothingToPay({ debit }: { debit: Debit }) {
  return (
    <Stack>
      <NameAndNote name={titleOf(debit)} note={debit.note} />
      <p>
        {`No check can be added now. ${payableWords(debit)} `}
        {debit.pendingPayments.length > 0
          ? "Confirm or deny the pending checks first."
          : "A card payment is being confirmed. A check can be added only if it fails."}
      </p>
    </Stack>
  );
}

function CheckToAdd({ debit, onDone }: AddCheckDialogProps) {
  const form = useForm({
    start: { check_number: "", amount: dollarsText(payableOf(debit)), another_check: false },
    send: async (typed) => {
      const check = requestBody(TypedCheck, { ...typed, amount: cleanAmount(typed.amount) });
      const { amount, ...more } = check;
      await call(payByCheck, { body: { ...more, payment_hash: { [debit.id]: amount } } });
      return check;
    },
    onDone: ({ check_number, amount }) =>
      onDone(`Check ${check_number} of ${formatMoney(amount)} is pending.`),
  });
  return (
    <Form form={form} label="Pay by check">
      <NameAndNote name={titleOf(debit)} note={debit.note} />
      <TextField
        narrow
        label="Check number"
        {...form.field("check_number")}
        onChange={(number) => form.set({ check_number: number, another_check: false })}
      />
      <AnotherCheckField {...form.field("another_check")} />
      <AmountField
        stepped
        label="Amount in dollars"
        hint={payableWords(debit)}
        {...form.field("amount")}
      />
      <div>
        <SubmitButton pending={form.pending}>Add check</SubmitButton>
      </div>
    </Form>
  );
}

function payableWords(debit: Debit): string {
  const pending = pendingOf(debit);
  const owed = `${formatMoney(debit.balance)} is owed`;
  if (pending === 0) return `${owed}.`;
  const part = payableOf(debit) === 0 ? "all" : formatMoney(pending);
  return `${owed}, ${part} pending.`;
}
