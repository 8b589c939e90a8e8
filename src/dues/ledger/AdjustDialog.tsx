import {
  type Cents,
  cents,
  centsFromDollars,
  cleanAmount,
  formatMoney,
  negated,
} from "#kit/domain/money.ts";
import { requestBody, call } from "#kit/web/api.tsx";
import { AmountField } from "#kit/web/ui/AmountField.tsx";
import { SubmitButton } from "#kit/web/ui/Button.tsx";
import { RadioField } from "#kit/web/ui/ChoiceField.tsx";
import { Dialog } from "#kit/web/ui/Dialog.tsx";
import { Form } from "#kit/web/ui/Form.tsx";
import { ActionPreview } from "#kit/web/ui/states.tsx";
import { TextArea } from "#kit/web/ui/TextField.tsx";
import { useForm } from "#kit/web/ui/use-form.tsx";
import { NameAndNote } from "#kit/web/ui/NameAndNote.tsx";
import { adjustDebit, type Debit } from "./contract.ts";
import { pendingOf, payableOf, titleOf } from "#dues/ledger/typed-amounts.tsx";

type Direction = "decrease" | "increase";

const start: { direction: Direction; amount: string; adjustment_note: string } = {
  direction: "decrease",
  amount: "",
  adjustment_note: "",
};

interface AdjustDialogProps {
  debit: Debit;
  onClose: () => void;
  onDone: (result: string) => void;
}

export function AdjustDialog({ debit, onClose, onDone }: AdjustDialogProps) {
  const form = useForm({
    start,
    labels: { adjustment_note: "Note" },
    send: async (typed) => {
      const body = requestBody(adjustDebit, {
        ...typed,
        debit_id: debit.id,
        amount: cleanAmount(typed.amount),
      });
      const adjusted = await call(adjustDebit, { body });
      return adjusted;
    },
    onDone: (adjusted) =>
      onDone(`The balance of ${adjusted.name} is now ${formatMoney(adjusted.balance)}.`),
  });
  const amount = centsFromDollars(cleanAmount(form.typed.amount));
  return (
    <Dialog title="Adjust balance" onClose={onClose}>
      <Form form={form} label="Adjust balance">
        <NameAndNote name={titleOf(debit)} note={debit.note} />
        <RadioField
          label="Direction"
          inline
          options={[
            { value: "decrease", label: "Decrease" },
            { value: "increase", label: "Increase" },
          ]}
          {...form.field("direction")}
        />
        <AmountField stepped label="Amount in dollars" {...form.field("amount")} />
        <TextArea label="Note" {...form.field("adjustment_note")} />
        <ActionPreview>{consequence(debit, form.typed.direction, amount)}</ActionPreview>
        <div>
          <SubmitButton pending={form.pending}>Adjust balance</SubmitButton>
        </div>
      </Form>
    </Dialog>
  );
}

function consequence(debit: Debit, direction: Direction, amount: Cents | null): string {
  const now = `The balance is ${formatMoney(debit.balance)}`;
  const available = payableOf(debit);
  if (direction === "decrease" && (available === 0 || (amount ?? 0) > available)) {
    const pending = pendingOf(debit);
    const why = pending > 0 ? `, with ${formatMoney(pending)} pending` : "";
    return `${now}${why}. You can decrease it by at most ${formatMoney(available)}.`;
  }
  if (amount === null || amount <= 0) return `${now}.`;
  const after = cents(debit.balance + (direction === "decrease" ? negated(amount) : amount));
  return `The balance goes from ${formatMoney(debit.balance)} to ${formatMoney(after)}.`;
}
