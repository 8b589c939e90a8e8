import { useState } from "react";
import { call, requestBody } from "#kit/web/api.tsx";
import { MailKept, sendsMail } from "#kit/web/mail-delivery.tsx";
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
  /** Called with a sentence that says what was done. */
  onDone: (result: string) => void;
}

/** Takes a referral back from its attorney: it is new again. */
export function WithdrawDialog({ matter: now, onClose, onDone }: WithdrawDialogProps) {
  const [matter] = useState(now); // who had it when this was decided
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
          {`${matter.attorneyName} owes no further report on it${sendsMail() ? ", no longer sees it, and is mailed" : " and no longer sees it"}. It stands as new, to be referred to somebody else.`}
        </ActionPreview>
        <MailKept />
        <TextArea label="Reason" hint="Read by administrators only" {...form.field("reason")} />
        <DialogActions>
          <SubmitButton kind="danger" pending={form.pending}>
            Withdraw
          </SubmitButton>
        </DialogActions>
      </Form>
    </Dialog>
  );
}
