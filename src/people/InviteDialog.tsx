import { useMutation } from "@tanstack/react-query";
import { InvitationLink } from "#access/sign-in/InvitationLink.tsx";
import { LinkDelivery } from "#access/sign-in/LinkDelivery.tsx";
import { call } from "#kit/web/api.tsx";
import { EmailNotSetUp, sendsMail } from "#kit/web/mail-delivery.tsx";
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

/** Attorneys who have signed in need no invitation, but may have forgotten their password. */
export const linkWords = (attorney: Attorney): string =>
  isInUse(attorney) ? "New password link" : "Invite to sign in";

/** The attorney has chosen a password. Only they may see the account's links. */
const isInUse = ({ account }: Attorney): boolean =>
  account === "active" || account === "new_password";

/** Makes a single-use link for an attorney to choose a password. */
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
              {attorney.name} signs in as <strong>{attorney.email}</strong>. A link to choose a new
              password can only be sent by email. Until email is set up, ask your system
              administrator to make a link.
            </p>
            <EmailNotSetUp />
          </>
        ) : (
          <>
            <p>
              {attorney.account === "active" && "Use this if they forgot their password. "}
              The link lets {attorney.name} choose a password and sign in as{" "}
              <strong>{attorney.email}</strong>. It works once, for seven days.
              {!isUsed && " Earlier links stop working."}
            </p>
            {isUsed ? (
              <p>This account is in use, so the link is only sent by email.</p>
            ) : (
              <LinkDelivery />
            )}
            <div>
              <Button kind="primary" pending={inviting.isPending} onClick={() => inviting.mutate()}>
                {isUsed ? "Email a link" : "Make a sign-in link"}
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

/** The new link; for an account in use, only the address it was sent to. */
function MadeLink({ url, expiresAt, email }: MadeLinkProps) {
  if (url !== null) return <InvitationLink url={url} expiresAt={expiresAt} />;
  return (
    <Notice>
      A link is on its way to {email}. It works once, until <DayText on={expiresAt} />.
    </Notice>
  );
}
