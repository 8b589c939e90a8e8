import { formatMoney } from "#kit/domain/money.ts";
import { requestBody, call } from "#kit/web/api.tsx";
import { SubmitButton } from "#kit/web/ui/Button.tsx";
import { RadioField } from "#kit/web/ui/ChoiceField.tsx";
import { Dialog } from "#kit/web/ui/Dialog.tsx";
import { Form } from "#kit/web/ui/Form.tsx";
import { Muted } from "#kit/web/ui/layout.tsx";
import { useForm } from "#kit/web/ui/use-form.tsx";
import { NameAndNote } from "#kit/web/ui/NameAndNote.tsx";
import type { Debit } from "#dues/ledger/contract.ts";
import { confirmChecks } from "./contract.ts";
import { titleOf } from "#dues/ledger/typed-amounts.tsx";

type Decision = "approved" | "denied";

const decisions = [
  { value: "approved", label: "Approve" },
  { value: "denied", label: "Deny" },
] as const;

const start: { statuses: Record<string, Decision> } = { statuses: {} };

interface ConfirmChecksDialogProps {
  debit: Debit;
  onClose: () => void;
  /** Called with a sentence about the result. */
  onDone: (result: string) => void;
}

/** Decides a debit's pending checks together. A check without a choice stays pending. */
export function ConfirmChecksDialog({ debit, onClose, onDone }: ConfirmChecksDialogProps) {
  const form = useForm({
    start,
    send: async ({ statuses }) => {
      await call(confirmChecks, { body: requestBody(confirmChecks, { statuses }) });
      return Object.values(statuses);
    },
    onDone: (decided) => onDone(resultWords(decided)),
  });
  const { value: statuses, error, id, onChange: setStatuses } = form.field("statuses");
  return (
    <Dialog title="Confirm Check" onClose={onClose}>
      <Form form={form} label="Confirm Check">
        <NameAndNote name={titleOf(debit)} note={debit.note} />
        {debit.pendingPayments.map((check, index) => (
          <RadioField<Decision | "">
            key={check.id}
            id={index === 0 ? id : undefined}
            label={`Check ${check.checkNumber}, ${formatMoney(check.quantity)}`}
            inline
            options={decisions}
            value={statuses[check.id] ?? ""}
            error={index === 0 ? error : undefined}
            onChange={(decision) => {
              if (decision) setStatuses({ ...statuses, [check.id]: decision });
            }}
          />
        ))}
        {debit.pendingPayments.length > 1 && (
          <Muted small>A check without a choice stays pending.</Muted>
        )}
        <div>
          <SubmitButton pending={form.pending}>Submit</SubmitButton>
        </div>
      </Form>
    </Dialog>
  );
}

function resultWords(decided: Decision[]): string {
  const approved = decided.filter((decision) => decision === "approved").length;
  const denied = decided.length - approved;
  if (denied === 0) return `${checks(approved)} approved.`;
  if (approved === 0) return `${checks(denied)} denied. The balance did not change.`;
  return `${checks(approved)} approved, ${denied} denied.`;
}

const checks = (count: number) => (count === 1 ? "1 check" : `${count} checks`);
