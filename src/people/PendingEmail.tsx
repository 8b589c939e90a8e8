import { useMutation } from "@tanstack/react-query";
import { formatDay } from "#kit/domain/day.ts";
import { call } from "#kit/web/api.tsx";
import { emailedText, EmailNotSetUp, sendsMail } from "#kit/web/mail-delivery.tsx";
import { Button } from "#kit/web/ui/Button.tsx";
import { DayText } from "#kit/web/ui/DayText.tsx";
import { Row } from "#kit/web/ui/layout.tsx";
import { Warning } from "#kit/web/ui/states.tsx";
import { type Attorney, callOffEmail } from "./contract.ts";

interface PendingEmailProps {
  attorney: Attorney;
  /** Called with a sentence about the result. */
  onDone: (said: string) => void;
}

/** A new email address that is not confirmed yet, if any. */
export function PendingEmail({ attorney, onDone }: PendingEmailProps) {
  const { pendingEmail } = attorney;
  if (!pendingEmail) return null;
  return <UnconfirmedEmail attorney={attorney} pendingEmail={pendingEmail} onDone={onDone} />;
}

type Pending = NonNullable<Attorney["pendingEmail"]>;

/** Says which confirmation is missing, with a button to cancel the change. */
function UnconfirmedEmail({
  attorney,
  pendingEmail,
  onDone,
}: PendingEmailProps & { pendingEmail: Pending }) {
  const { id, email } = attorney;
  const cancelling = useMutation({
    mutationFn: () => call(callOffEmail, { params: { id } }),
    onSuccess: () =>
      onDone(`The email address stays ${email}. ${emailedText("Both addresses will be emailed.")}`),
  });
  return (
    <Warning title={`Waiting for a new email address to be confirmed: ${pendingEmail.email}`}>
      <p>
        {pendingEmail.askedBy} requested it on <DayText on={pendingEmail.askedAt} />.{" "}
        {missingConfirmation(pendingEmail)} Until then, {attorney.name} gets email at {email} and
        signs in with it.
      </p>
      {!sendsMail() && (
        <>
          <EmailNotSetUp />
          <p>Ask your system administrator for the links.</p>
        </>
      )}
      <Row>
        <Button
          small
          pending={cancelling.isPending}
          label="Cancel the new email address"
          onClick={() => cancelling.mutate()}
        >
          Cancel change
        </Button>
      </Row>
    </Warning>
  );
}

function missingConfirmation({ confirmedByNew, confirmedByOld, appliesOn }: Pending): string {
  const day = formatDay(appliesOn);
  if (confirmedByNew)
    return `The new address is confirmed. The change takes effect once the old address confirms it too, or on ${day}.`;
  if (confirmedByOld)
    return "The old address has confirmed the change. It takes effect once the new address confirms it too.";
  return `The change takes effect once both addresses confirm it. From ${day}, the new address is enough.`;
}
