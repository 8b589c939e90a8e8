import { useState } from "react";
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
import { SelectField } from "#kit/web/ui/ChoiceField.tsx";
import { Dialog, DialogActions } from "#kit/web/ui/Dialog.tsx";
import { Form } from "#kit/web/ui/Form.tsx";
import { ActionPreview } from "#kit/web/ui/states.tsx";
import { useForm } from "#kit/web/ui/use-form.tsx";
import { labelOf, payableOf, titleOf } from "#dues/ledger/typed-amounts.tsx";
import { changeCredit, type Debit } from "./contract.ts";

export interface CreditDialogProps {
  attorneyId: number;
  credit: Cents;
  onClose: () => void;
  onDone: (result: string) => void;
}

interface ApplyCreditDialogProps extends CreditDialogProps {
  /** Debits that can be paid now, oldest due first. */
  debits: readonly Debit[];
}

/** Pays a debit from credit. The amount starts as the most that can be applied. */
export function ApplyCreditDialog(props: ApplyCreditDialogProps) {
  const { attorneyId, onClose, onDone } = props;
  const [debits] = useState(props.debits); // a debit paid in the meantime stays in the form
  const debitOf = (id: string) => debits.find((debit) => String(debit.id) === id) ?? debits[0];
  const mostOf = (debit: Debit | undefined) =>
    dollarsText(cents(Math.min(props.credit, debit ? payableOf(debit) : 0)));
  const form = useForm({
    start: { debit_id: String(debits[0]?.id ?? ""), amount: mostOf(debits[0]) },
    labels: { debit_id: "Debit" },
    send: async (typed) => {
      const body = requestBody(changeCredit, {
        action: "apply",
        debit_id: Number(typed.debit_id),
        amount: cleanAmount(typed.amount),
      });
      const { credit: left } = await call(changeCredit, { params: { id: attorneyId }, body });
      return { paid: body.amount, left };
    },
    onDone: ({ paid, left }) =>
      onDone(`${formatMoney(paid)} was paid from credit. ${formatMoney(left)} of credit is left.`),
  });
  const credit = useFrozenWhilePending(props.credit, form.pending);
  const debit = debitOf(form.typed.debit_id);
  const amount = centsFromDollars(cleanAmount(form.typed.amount));
  return (
    <Dialog title="Apply credit to a debit" onClose={onClose}>
      <Form form={form} label="Apply credit">
        <SelectField
          label="Debit"
          options={debits.map((each) => ({
            value: String(each.id),
            label: `${labelOf(each)}: ${formatMoney(payableOf(each))} to pay`,
          }))}
          {...form.field("debit_id")}
          onChange={(id) => form.set({ debit_id: id, amount: mostOf(debitOf(id)) })}
        />
        <AmountField label="Amount in dollars" {...form.field("amount")} />
        <ActionPreview>{debit && consequence(debit, credit, amount)}</ActionPreview>
        <DialogActions>
          <SubmitButton pending={form.pending}>Apply credit</SubmitButton>
        </DialogActions>
      </Form>
    </Dialog>
  );
}

function consequence(debit: Debit, credit: Cents, amount: Cents | null): string {
  const payable = payableOf(debit);
  const most = cents(Math.min(credit, payable));
  if (amount === null || amount <= 0 || amount > most)
    return `Enter at most ${formatMoney(most)}: ${formatMoney(credit)} of credit is left, and ${formatMoney(payable)} can be paid on this debit.`;
  return `${titleOf(debit)} goes from ${formatMoney(debit.balance)} to ${formatMoney(cents(debit.balance - amount))}, the credit from ${formatMoney(credit)} to ${formatMoney(cents(credit - amount))}.`;
}
