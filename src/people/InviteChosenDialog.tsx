import { call } from "#kit/web/api.tsx";
import { endpointQuery } from "#kit/web/queries.tsx";
import { AgreementDialog, type ChosenDialogProps } from "./AgreementDialog.tsx";
import { attorneysWords, leftOutWords } from "#people/attorney-words.tsx";
import { type Invitations, inviteAttorneys, previewInvitations } from "#people/contract.ts";

/** Mails those who are chosen and cannot sign in yet a link each, with which they choose a password. */
export function InviteChosenDialog({ whom, onClose, onDone }: ChosenDialogProps) {
  return (
    <AgreementDialog<Invitations>
      title="Invite attorneys to sign in"
      preview={endpointQuery(previewInvitations, { body: whom })}
      words={(counts) =>
        (counts.invited === 0
          ? "Nobody would be invited."
          : `Invite ${attorneysWords(counts.invited)} to sign in.`) +
        leftOutWords([
          [counts.canSignIn, "who can sign in already"],
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
        "Each gets a mail with a link of their own to choose a password. It works once, for seven days; links made for them before stop working."
      }
      button={({ invited }) => (invited > 0 ? `Invite ${attorneysWords(invited)}` : null)}
      act={() => call(inviteAttorneys, { body: whom })}
      onDone={({ invited }) =>
        onDone(`${attorneysWords(invited)} ${invited === 1 ? "is" : "are"} invited.`)
      }
      onClose={onClose}
    />
  );
}
