import { useMutation } from "@tanstack/react-query";
import { formatDay } from "#kit/domain/day.ts";
import { call } from "#kit/web/api.tsx";
import { mailedWords, MailKept, sendsMail } from "#kit/web/mail-delivery.tsx";
import { Button } from "#kit/web/ui/Button.tsx";
import { DayText } from "#kit/web/ui/DayText.tsx";
import { Row } from "#kit/web/ui/layout.tsx";
import { Warning } from "#kit/web/ui/states.tsx";
import { type Attorney, callOffEmail } from "./contract.ts";

interface PendingEmailProps {
  attorney: Attorney;
  /** Called with a sentence that says what was done. */
  onDone: (said: string) => void;
}

/** Another email address that does not count yet, if any. */
export function PendingEmail({ attorney, onDone }: PendingEmailProps) {
  const { pendingEmail } = attorney;
  if (!pendingEmail) return null;
  return <WaitingEmail attorney={attorney} pendingEmail={pendingEmail} onDone={onDone} />;
}

type Pending = NonNullable<Attorney["pendingEmail"]>;

/** What it waits for, and what calls it off. */
function WaitingEmail({
  attorney,
  pendingEmail,
  onDone,
}: PendingEmailProps & { pendingEmail: Pending }) {
  const { id, email } = attorney;
  const callingOff = useMutation({
    mutationFn: () => call(callOffEmail, { params: { id } }),
    onSuccess: () =>
      onDone(`The email address stays ${email}. ${mailedWords("Both addresses are mailed.")}`),
  });
  return (
    <Warning title={`A new email address waits to be confirmed: ${pendingEmail.email}`}>
      <p>
        {pendingEmail.askedBy} asked for it on <DayText on={pendingEmail.askedAt} />.{" "}
        {whatItWaitsFor(pendingEmail)} Until then mail goes to {email}, and {attorney.name} signs in
        with it.
      </p>
      {!sendsMail() && (
        <>
          <MailKept />
          <p>Whoever operates this service has the links.</p>
        </>
      )}
      <Row>
        <Button
          small
          pending={callingOff.isPending}
          label="Call off the new email address"
          onClick={() => callingOff.mutate()}
        >
          Call off
        </Button>
      </Row>
    </Warning>
  );
}

function whatItWaitsFor({ confirmedByNew, confirmedByOld, appliesOn }: Pending): string {
  const day = formatDay(appliesOn);
  if (confirmedByNew)
    return `The new address has confirmed it. It counts once the old one does, too, or on ${day}.`;
  if (confirmedByOld)
    return "The old address has confirmed it. It counts once the new one does, too.";
  return `It counts once both addresses confirm it. From ${day} on the new one is enough.`;
}
