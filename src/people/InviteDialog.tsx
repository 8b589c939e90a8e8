import { useMutation } from "@tanstack/react-query";
import { InvitationLink } from "#access/sign-in/InvitationLink.tsx";
import { LinkDelivery } from "#access/sign-in/LinkDelivery.tsx";
import { call } from "#kit/web/api.tsx";
import { MailKept, sendsMail } from "#kit/web/mail-delivery.tsx";
import { Button } from "#kit/web/ui/Button.tsx";
import { DayText } from "#kit/web/ui/DayText.tsx";
import { Dialog } from "#kit/web/ui/Dialog.tsx";
import { Stack } from "#kit/web/ui/layout.tsx";
import { Notice } from "#kit/web/ui/states.tsx";
import { type Attorney, inviteAttorney } from "./contract.ts";

interface InviteDialogProps {
  attorney: Attorney;
  onClose: () => void;
}

/** Who has signed in needs no invitation, but may have forgotten the password. */
export const linkWords = (attorney: Attorney): string =>
  isInUse(attorney) ? "New password link" : "Invite to sign in";

/** Somebody has chosen a password for the account: its link is for them only. */
const isInUse = ({ account }: Attorney): boolean =>
  account === "active" || account === "new_password";

/** Makes the single-use link with which an attorney chooses a password. */
export function InviteDialog({ attorney, onClose }: InviteDialogProps) {
  const inviting = useMutation({
    mutationFn: () => call(inviteAttorney, { params: { id: attorney.id } }),
  });
  const isUsed = isInUse(attorney);
  const cannotReach = !sendsMail() && isUsed;
  return (
    <Dialog title={linkWords(attorney)} onClose={onClose}>
      <Stack gap={16}>
        {inviting.data ? (
          <MadeLink {...inviting.data} email={attorney.email} />
        ) : cannotReach ? (
          <>
            <p>
              {attorney.name} signs in as <strong>{attorney.email}</strong>, so a link to choose a
              new password is for them only, and goes by mail. Until mail is set up, whoever
              operates this service can make one.
            </p>
            <MailKept />
          </>
        ) : (
          <>
            <p>
              {attorney.account === "active" && "For when they have forgotten theirs. "}
              Makes a link with which {attorney.name} chooses a password and signs in as{" "}
              <strong>{attorney.email}</strong>. It works once, for seven days
              {isUsed ? "." : "; links made for them before stop working."}
            </p>
            {isUsed ? (
              <p>It goes by mail alone: this account is in use, and its link is for them only.</p>
            ) : (
              <LinkDelivery />
            )}
            <div>
              <Button kind="primary" pending={inviting.isPending} onClick={() => inviting.mutate()}>
                {isUsed ? "Mail a link" : "Make a sign-in link"}
              </Button>
            </div>
          </>
        )}
      </Stack>
    </Dialog>
  );
}

interface MadeLinkProps {
  url: string | null;
  expiresAt: string;
  email: string;
}

/** The link of an account in use is for its person alone. */
function MadeLink({ url, expiresAt, email }: MadeLinkProps) {
  if (url !== null) return <InvitationLink url={url} expiresAt={expiresAt} />;
  return (
    <Notice>
      A link is on its way to {email}. It works once, until <DayText on={expiresAt} />.
    </Notice>
  );
}
