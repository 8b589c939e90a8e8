import { useMutation } from "@tanstack/react-query";
import { InvitationLink } from "#features/auth/InvitationLink.tsx";
import { LinkDelivery } from "#features/auth/LinkDelivery.tsx";
import { call } from "#web/api.tsx";
import { Button } from "#web/ui/Button.tsx";
import { Dialog } from "#web/ui/Dialog.tsx";
import { Stack } from "#web/ui/layout.tsx";
import { type Attorney, inviteAttorney } from "./contract.ts";
import { refetchAttorney } from "./use-attorney.tsx";

interface InviteDialogProps {
  attorney: Attorney;
  onClose: () => void;
}

/** Who can sign in needs no invitation, but may have forgotten the password. */
export const linkWords = ({ account }: Attorney): string =>
  account === "active" ? "New password link" : "Invite to sign in";

/** Makes the single-use link with which an attorney chooses a password: mailed, and shown. */
export function InviteDialog({ attorney, onClose }: InviteDialogProps) {
  const inviting = useMutation({
    mutationFn: () => call(inviteAttorney, { params: { id: attorney.id } }),
    onSuccess: () => void refetchAttorney(),
  });
  return (
    <Dialog title={linkWords(attorney)} onClose={onClose}>
      <Stack gap={16}>
        {inviting.data ? (
          <InvitationLink {...inviting.data} />
        ) : (
          <>
            <p>
              {attorney.account === "active" && "For when they have forgotten theirs. "}
              Makes a link with which {attorney.name} chooses a password and signs in as{" "}
              <strong>{attorney.email}</strong>. It works once, for seven days; links made for them
              before stop working.
            </p>
            <LinkDelivery />
            <div>
              <Button kind="primary" pending={inviting.isPending} onClick={() => inviting.mutate()}>
                Make a sign-in link
              </Button>
            </div>
          </>
        )}
      </Stack>
    </Dialog>
  );
}
