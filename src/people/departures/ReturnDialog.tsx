import { useMutation } from "@tanstack/react-query";
import { type Attorney } from "#people/contract.ts";
import { call } from "#kit/web/api.tsx";
import { MailKept, mailedWords, sendsMail } from "#kit/web/mail-delivery.tsx";
import { Button } from "#kit/web/ui/Button.tsx";
import { Dialog, DialogActions } from "#kit/web/ui/Dialog.tsx";
import { Stack } from "#kit/web/ui/layout.tsx";
import { ActionPreview } from "#kit/web/ui/states.tsx";
import { recordReturn } from "./contract.ts";

interface ReturnDialogProps {
  attorney: Attorney;
  onClose: () => void;
  /** Called with a sentence that says what was done. */
  onDone: (result: string) => void;
}

/** Takes an attorney who has left back on the panel. */
export function ReturnDialog({ attorney, onClose, onDone }: ReturnDialogProps) {
  /** Signed in before they left. */
  const isUsed = attorney.account === "active" || attorney.account === "new_password";
  const returning = useMutation({
    mutationFn: () => call(recordReturn, { params: { id: attorney.id } }),
    onSuccess: ({ name }) =>
      onDone(
        `${name} is on the panel again.${isUsed ? ` ${mailedWords(`A link to choose a new password is mailed to ${attorney.email}.`)}` : ""}`,
      ),
  });
  return (
    <Dialog title={`Take ${attorney.name} back on the panel`} onClose={onClose}>
      <Stack>
        <ActionPreview>
          Referrals can be made again. Overdue reports are judged again at once.
          {isUsed &&
            ` The old password and passkeys no longer work.${sendsMail() ? ` A link to choose a new password is mailed to ${attorney.email}.` : ""}`}
        </ActionPreview>
        {isUsed && !sendsMail() && (
          <>
            <MailKept />
            <p>Whoever operates this service can make a link to choose a new password.</p>
          </>
        )}
        <p>Subscriptions that ended stay ended: add those that {attorney.name} pays from now on.</p>
        <DialogActions>
          <Button kind="primary" pending={returning.isPending} onClick={() => returning.mutate()}>
            Take back on the panel
          </Button>
        </DialogActions>
      </Stack>
    </Dialog>
  );
}
