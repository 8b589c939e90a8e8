import { useState } from "react";
import { call, requestBody } from "#kit/web/api.tsx";
import { EmailNotSetUp, sendsMail } from "#kit/web/mail-delivery.tsx";
import { SubmitButton } from "#kit/web/ui/Button.tsx";
import { Dialog, DialogActions } from "#kit/web/ui/Dialog.tsx";
import { Form } from "#kit/web/ui/Form.tsx";
import { ActionPreview } from "#kit/web/ui/states.tsx";
import { TextArea } from "#kit/web/ui/TextField.tsx";
import { useForm } from "#kit/web/ui/use-form.tsx";
import { CandidateSelect } from "./CandidateSelect.tsx";
import { type Matter, referMatter } from "./contract.ts";
import { noAttorneyChosen } from "./ReferForm.tsx";

interface ReassignDialogProps {
  matter: Matter;
  onClose: () => void;
  /** Called with a message that says what was done. */
  onDone: (result: string) => void;
}

/** Moves a referral from one attorney to another. */
export function ReassignDialog({ matter: now, onClose, onDone }: ReassignDialogProps) {
  const [matter] = useState(now); // its attorney when the dialog opened
  const form = useForm({
    start: { attorney_id: null as string | null, reason: "" },
    labels: { attorney_id: "Attorney" },
    send: async ({ attorney_id, reason }) => {
      if (attorney_id === null) throw noAttorneyChosen();
      const body = requestBody(referMatter, {
        attorney_id: Number(attorney_id),
        from_attorney_id: matter.attorneyId,
        reason,
      });
      return await call(referMatter, { params: { id: matter.id }, body });
    },
    onDone: ({ attorneyName }) => onDone(`${matter.name} is now referred to ${attorneyName}.`),
  });
  return (
    <Dialog title={`Reassign ${matter.name}`} onClose={onClose}>
      <Form form={form} label="Reassign">
        <ActionPreview>
          {`${matter.attorneyName} no longer sees it and owes no more reports on it. The new attorney’s first report is due one period from today.${sendsMail() ? " Both are emailed." : ""}`}
        </ActionPreview>
        <EmailNotSetUp />
        <CandidateSelect
          label="Attorney"
          hint="Longest wait first. Attorneys on vacation or suspended are not listed."
          {...form.field("attorney_id")}
        />
        <TextArea label="Reason" hint="Only administrators see it" {...form.field("reason")} />
        <DialogActions>
          <SubmitButton pending={form.pending}>Reassign</SubmitButton>
        </DialogActions>
      </Form>
    </Dialog>
  );
}
