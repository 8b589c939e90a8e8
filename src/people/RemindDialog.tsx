import { formatMoney } from "#kit/domain/money.ts";
import { call } from "#kit/web/api.tsx";
import { sendsMail } from "#kit/web/mail-delivery.tsx";
import { endpointQuery } from "#kit/web/queries.tsx";
import { BulkActionDialog, type ChosenDialogProps } from "./BulkActionDialog.tsx";
import { attorneysWords, leftOutWords } from "#people/attorney-words.tsx";
import { previewReminders, type Reminders, remindAttorneys } from "#people/contract.ts";

/** Emails the chosen attorneys their overdue debits. */
export function RemindDialog({ whom, onClose, onDone }: ChosenDialogProps) {
  return (
    <BulkActionDialog<Reminders>
      title="Remind attorneys of overdue balances"
      preview={endpointQuery(previewReminders, { body: whom })}
      words={(counts) =>
        (counts.reminded === 0
          ? "No attorneys will be emailed."
          : `Remind ${attorneysWords(counts.reminded)} of ${formatMoney(counts.amount)} overdue.`) +
        leftOutWords([
          [counts.remindedToday, "who was reminded today", "who were reminded today"],
          [counts.nothingOverdue, "with nothing overdue"],
          [counts.coveredByCredit, "whose credit covers it"],
          [counts.left, "who has left", "who have left"],
        ])
      }
      about={() =>
        "Each email lists every overdue debit, with a link to pay. Pending payments are left out."
      }
      isMailed
      button={({ reminded }) => (reminded > 0 ? `Remind ${attorneysWords(reminded)}` : null)}
      act={() => call(remindAttorneys, { body: whom })}
      onDone={({ reminded, amount }) => {
        onDone(
          sendsMail()
            ? `${attorneysWords(reminded)} reminded of ${formatMoney(amount)}.`
            : `Reminders of ${formatMoney(amount)} to ${attorneysWords(reminded)} are saved, not sent.`,
        );
      }}
      onClose={onClose}
    />
  );
}
