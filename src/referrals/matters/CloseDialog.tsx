import { call, requestBody } from "#kit/web/api.tsx";
import { SubmitButton } from "#kit/web/ui/Button.tsx";
import { Dialog, DialogActions } from "#kit/web/ui/Dialog.tsx";
import { Form } from "#kit/web/ui/Form.tsx";
import { ActionPreview } from "#kit/web/ui/states.tsx";
import { TextArea } from "#kit/web/ui/TextField.tsx";
import { useForm } from "#kit/web/ui/use-form.tsx";
import { closeMatter, type Matter } from "./contract.ts";

/** Closes a referral that no attorney has. */
export function CloseDialog({ matter, onClose }: { matter: Matter; onClose: () => void }) {
  const form = useForm({
    start: { reason: "" },
    send: async (typed) => {
      const body = requestBody(closeMatter, typed);
      return await call(closeMatter, { params: { id: matter.id }, body });
    },
  });
  return (
    <Dialog title={`Close ${matter.name}`} onClose={onClose}>
      <Form form={form} label="Close">
        <ActionPreview>
          No attorney has this referral, and it can no longer be referred. Nobody is emailed.
        </ActionPreview>
        <TextArea label="Reason" hint="Kept in the history" {...form.field("reason")} />
        <DialogActions>
          <SubmitButton kind="danger" pending={form.pending}>
            Close the referral
          </SubmitButton>
        </DialogActions>
      </Form>
    </Dialog>
  );
}
