import { useState } from "react";
import { call, requestBody } from "#kit/web/api.tsx";
import { EmailNotSetUp, sendsMail } from "#kit/web/mail-delivery.tsx";
import { SubmitButton } from "#kit/web/ui/Button.tsx";
import { Dialog, DialogActions } from "#kit/web/ui/Dialog.tsx";
import { Form } from "#kit/web/ui/Form.tsx";
import { ActionPreview } from "#kit/web/ui/states.tsx";
import { TextArea } from "#kit/web/ui/TextField.tsx";
import { useForm } from "#kit/web/ui/use-form.tsx";
import { type Matter, withdrawMatter } from "./contract.ts";

interface WithdrawDialogProps {
  matter: Matter;
  onClose: () => void;
  /** Called with a message that says what was done. */
  onDone: (result: string) => void;
}

/** Withdraws a referral from its attorney; it becomes new again. */
export function WithdrawDialog({ matter: now, onClose, onDone }: WithdrawDialogProps) {
  const [matter] = useState(now); // its attorney when the dialog opened
  const form = useForm({
    start: { reason: "" },
    send: async (typed) => {
      const body = requestBody(withdrawMatter, { ...typed, from_attorney_id: matter.attorneyId });
      return await call(withdrawMatter, { params: { id: matter.id }, body });
    },
    onDone: () => onDone(`The referral to ${matter.attorneyName} is withdrawn.`),
  });
  return (
    <Dialog title={`Withdraw ${matter.name}`} onClose={onClose}>
      <Form form={form} label="Withdraw">
        <ActionPreview>
          {`${matter.attorneyName} owes no more reports on it${sendsMail() ? ", no longer sees it, and is emailed" : " and no longer sees it"}. It becomes new again and can be referred to another attorney.`}
        </ActionPreview>
        <EmailNotSetUp />
        <TextArea label="Reason" hint="Only administrators see it" {...form.field("reason")} />
        <DialogActions>
          <SubmitButton kind="danger" pending={form.pending}>
            Withdraw
          </SubmitButton>
        </DialogActions>
      </Form>
    </Dialog>
  );
}
