import { Muted, Stack } from "#kit/web/ui/layout.tsx";
import { StatusMark } from "#kit/web/ui/StatusMark.tsx";
import type { Mail } from "./contract.ts";

interface MailStatusProps {
  of: Mail;
  /** Undefined until it is known. */
  delivery: "server" | "disk" | undefined;
}

/** What has become of a mail, and what stood in its way. */
export function MailStatus({ of: mail, delivery }: MailStatusProps) {
  return (
    <Stack gap={4}>
      <div>
        <Mark of={mail} delivery={delivery} />
      </div>
      {mail.lastProblem && mail.status !== "sent" && (
        <Muted small>
          {attemptsOf(mail)}
          {mail.lastProblem}
        </Muted>
      )}
    </Stack>
  );
}

/** Of a mail that was withdrawn it says why, of a refused one what the server said. */
function attemptsOf({ status, refusal, attempts }: Mail): string {
  if (status === "withdrawn") return "";
  if (refusal !== null) return "The mail server said: ";
  return attempts === 1 ? "Tried once: " : `Tried ${attempts} times: `;
}

function Mark({ of: { status, refusal }, delivery }: MailStatusProps) {
  if (refusal !== null) return <StatusMark tone="bad">{`Refused: ${refusal}`}</StatusMark>;
  if (status === "gave_up") return <StatusMark tone="bad">Not delivered</StatusMark>;
  if (status === "withdrawn") return <StatusMark tone="quiet">Withdrawn</StatusMark>;
  if (status === "queued") return <StatusMark tone="waiting">Waiting</StatusMark>;
  if (delivery === "disk") return <StatusMark tone="quiet">Kept, not sent</StatusMark>;
  return <StatusMark tone="good">Sent</StatusMark>;
}
