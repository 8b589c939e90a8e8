import { useMutation } from "@tanstack/react-query";
import { type Attorney } from "#people/contract.ts";
import { call } from "#kit/web/api.tsx";
import { EmailNotSetUp, emailedText, sendsMail } from "#kit/web/mail-delivery.tsx";
import { Button } from "#kit/web/ui/Button.tsx";
import { Dialog, DialogActions } from "#kit/web/ui/Dialog.tsx";
import { Stack } from "#kit/web/ui/layout.tsx";
import { ActionPreview } from "#kit/web/ui/states.tsx";
import { recordReturn } from "./contract.ts";

interface ReturnDialogProps {
  attorney: Attorney;
  onClose: () => void;
  /** Called with a sentence about the result. */
  onDone: (result: string) => void;
}

/** Returns an attorney who has left to the panel. */
export function ReturnDialog({ attorney, onClose, onDone }: ReturnDialogProps) {
  /** The attorney chose a password before they left. */
  const isUsed = attorney.account === "active" || attorney.account === "new_password";
  const returning = useMutation({
    mutationFn: () => call(recordReturn, { params: { id: attorney.id } }),
    onSuccess: ({ name }) =>
      onDone(
        `${name} is back on the panel.${isUsed ? ` ${emailedText(`A link to choose a new password will be emailed to ${attorney.email}.`)}` : ""}`,
      ),
  });
  return (
    <Dialog title={`Return ${attorney.name} to the panel`} onClose={onClose}>
      <Stack>
        <ActionPreview>
          Referrals can be made again. Overdue reports are checked again immediately.
          {isUsed &&
            ` The old password and passkeys no longer work.${sendsMail() ? ` A link to choose a new password will be emailed to ${attorney.email}.` : ""}`}
        </ActionPreview>
        {isUsed && !sendsMail() && (
          <>
            <EmailNotSetUp />
            <p>Ask your system administrator to make a link to choose a new password.</p>
          </>
        )}
        <p>Ended subscriptions stay ended. Add the ones that {attorney.name} should pay now.</p>
        <DialogActions>
          <Button kind="primary" pending={returning.isPending} onClick={() => returning.mutate()}>
            Return to the panel
          </Button>
        </DialogActions>
      </Stack>
    </Dialog>
  );
}
