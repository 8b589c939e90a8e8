import { call } from "#kit/web/api.tsx";
import { endpointQuery } from "#kit/web/queries.tsx";
import { BulkActionDialog, type ChosenDialogProps } from "./BulkActionDialog.tsx";
import { attorneysWords, leftOutWords } from "#people/attorney-words.tsx";
import { type Invitations, inviteAttorneys, previewInvitations } from "#people/contract.ts";

/** Emails a password link to each chosen attorney who cannot sign in yet. */
export function InviteChosenDialog({ whom, onClose, onDone }: ChosenDialogProps) {
  return (
    <BulkActionDialog<Invitations>
      title="Invite attorneys to sign in"
      preview={endpointQuery(previewInvitations, { body: whom })}
      words={(counts) =>
        (counts.invited === 0
          ? "No attorneys will be invited."
          : `Invite ${attorneysWords(counts.invited)} to sign in.`) +
        leftOutWords([
          [counts.canSignIn, "who can already sign in"],
          [
            counts.invitedLately,
            "who was invited less than a day ago",
            "who were invited less than a day ago",
          ],
          [counts.emailTaken, "whose email address belongs to another account"],
          [counts.left, "who has left", "who have left"],
        ])
      }
      about={() =>
        "Each gets an email with a link to choose a password. The link works once, for seven days. Earlier links stop working."
      }
      button={({ invited }) => (invited > 0 ? `Invite ${attorneysWords(invited)}` : null)}
      act={() => call(inviteAttorneys, { body: whom })}
      onDone={({ invited }) => onDone(`${attorneysWords(invited)} invited.`)}
      onClose={onClose}
    />
  );
}
