import { formatMoney } from "#kit/domain/money.ts";
import { call } from "#kit/web/api.tsx";
import { SubmitButton } from "#kit/web/ui/Button.tsx";
import { SelectField } from "#kit/web/ui/ChoiceField.tsx";
import { Dialog, DialogActions } from "#kit/web/ui/Dialog.tsx";
import { Form } from "#kit/web/ui/Form.tsx";
import { ActionPreview } from "#kit/web/ui/states.tsx";
import { useForm } from "#kit/web/ui/use-form.tsx";
import { makeHeldMoneyCredit } from "./contract.ts";
import type { HeldDialogProps } from "./RefundHeldMoneyDialog.tsx";

/** Moves held money to the credit of one of the check's attorneys. */
export function HeldToCreditDialog({ held, onClose, onDone }: HeldDialogProps) {
  const { id, amount, checkNumber, attorneys } = held;
  const nameOf = (attorneyId: string) =>
    attorneys.find((attorney) => String(attorney.id) === attorneyId)?.name ?? "";
  const form = useForm({
    start: { attorney_id: String(attorneys[0]?.id ?? "") },
    labels: { attorney_id: "Attorney" },
    send: async ({ attorney_id }) => {
      const body = { attorney_id: Number(attorney_id) };
      await call(makeHeldMoneyCredit, { params: { id }, body });
      return nameOf(attorney_id);
    },
    onDone: (name) => onDone(`${formatMoney(amount)} was added to ${name}'s credit.`),
  });
  return (
    <Dialog title={`Move money held from check ${checkNumber} to credit`} onClose={onClose}>
      <Form form={form} label="Move to credit">
        <SelectField
          label="Attorney"
          options={attorneys.map((attorney) => ({
            value: String(attorney.id),
            label: attorney.name,
          }))}
          {...form.field("attorney_id")}
        />
        <ActionPreview>
          {`${formatMoney(amount)} is added to ${nameOf(form.typed.attorney_id)}'s credit.`}
        </ActionPreview>
        <DialogActions>
          <SubmitButton
            pending={form.pending}
          >{`Move to credit (${formatMoney(amount)})`}</SubmitButton>
        </DialogActions>
      </Form>
    </Dialog>
  );
}
