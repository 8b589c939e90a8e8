import { formatMoney } from "#kit/domain/money.ts";
import { call } from "#kit/web/api.tsx";
import { sendsMail } from "#kit/web/mail-delivery.tsx";
import { endpointQuery } from "#kit/web/queries.tsx";
import { AgreementDialog, type ChosenDialogProps } from "./AgreementDialog.tsx";
import { attorneysWords, leftOutWords } from "#people/attorney-words.tsx";
import { previewReminders, type Reminders, remindAttorneys } from "#people/contract.ts";

/** Mails those who are chosen what is overdue of theirs. */
export function RemindDialog({ whom, onClose, onDone }: ChosenDialogProps) {
  return (
    <AgreementDialog<Reminders>
      title="Remind attorneys of what is overdue"
      preview={endpointQuery(previewReminders, { body: whom })}
      words={(counts) =>
        (counts.reminded === 0
          ? "Nobody would be mailed."
          : `Remind ${attorneysWords(counts.reminded)} of ${formatMoney(counts.amount)} that is overdue.`) +
        leftOutWords([
          [counts.remindedToday, "who was reminded today", "who were reminded today"],
          [counts.nothingOverdue, "with nothing overdue"],
          [counts.coveredByCredit, "whose credit covers it"],
          [counts.left, "who has left", "who have left"],
        ])
      }
      about={() =>
        "Each mail names every overdue debit and how long it is overdue, with a link to pay. Pending payments are left out."
      }
      isMailed
      button={({ reminded }) => (reminded > 0 ? `Remind ${attorneysWords(reminded)}` : null)}
      act={() => call(remindAttorneys, { body: whom })}
      onDone={({ reminded, amount }) => {
        onDone(
          sendsMail()
            ? `${attorneysWords(reminded)} ${reminded === 1 ? "is" : "are"} reminded of ${formatMoney(amount)}.`
            : `Reminders of ${formatMoney(amount)} to ${attorneysWords(reminded)} are kept, not sent.`,
        );
      }}
      onClose={onClose}
    />
  );
}
