import { useState } from "react";
import { call, requestBody } from "#kit/web/api.tsx";
import { MailKept, sendsMail } from "#kit/web/mail-delivery.tsx";
import { SubmitButton } from "#kit/web/ui/Button.tsx";
import { Dialog, DialogActions } from "#kit/web/ui/Dialog.tsx";
import { Form } from "#kit/web/ui/Form.tsx";
import { ActionPreview } from "#kit/web/ui/states.tsx";
import { TextArea } from "#kit/web/ui/TextField.tsx";
import { useForm } from "#kit/web/ui/use-form.tsx";
import { CandidateSelect } from "./CandidateSelect.tsx";
import { type Matter, referMatter } from "./contract.ts";
import { nobodyChosen } from "./ReferForm.tsx";

interface ReassignDialogProps {
  matter: Matter;
  onClose: () => void;
  /** Called with a sentence that says what was done. */
  onDone: (result: string) => void;
}

/** Gives a referral that one attorney has to another. */
export function ReassignDialog({ matter: now, onClose, onDone }: ReassignDialogProps) {
  const [matter] = useState(now); // who had it when this was decided
  const form = useForm({
    start: { attorney_id: null as string | null, reason: "" },
    labels: { attorney_id: "Attorney" },
    send: async ({ attorney_id, reason }) => {
      if (attorney_id === null) throw nobodyChosen();
      const body = requestBody(referMatter, {
        attorney_id: Number(attorney_id),
        from_attorney_id: matter.attorneyId,
        reason,
      });
      return await call(referMatter, { params: { id: matter.id }, body });
    },
    onDone: ({ attorneyName }) => onDone(`${matter.name} is referred to ${attorneyName} now.`),
  });
  return (
    <Dialog title={`Reassign ${matter.name}`} onClose={onClose}>
      <Form form={form} label="Reassign">
        <ActionPreview>
          {`${matter.attorneyName} owes no further report on it and no longer sees it. The new attorney’s first report falls due one period from today.${sendsMail() ? " Both are mailed." : ""}`}
        </ActionPreview>
        <MailKept />
        <CandidateSelect
          label="Attorney"
          hint="Who has waited longest stands first. Attorneys on vacation or suspended are not offered."
          {...form.field("attorney_id")}
        />
        <TextArea label="Reason" hint="Read by administrators only" {...form.field("reason")} />
        <DialogActions>
          <SubmitButton pending={form.pending}>Reassign</SubmitButton>
        </DialogActions>
      </Form>
    </Dialog>
  );
}
