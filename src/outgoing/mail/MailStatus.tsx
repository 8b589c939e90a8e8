import { Muted, Stack } from "#kit/web/ui/layout.tsx";
import { StatusMark } from "#kit/web/ui/StatusMark.tsx";
import type { Mail } from "./contract.ts";

interface MailStatusProps {
  of: Mail;
  /** Undefined while loading. */
  delivery: "server" | "disk" | undefined;
}

/** An email's status and the last problem, if any. */
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

/** Text before the last problem: none if withdrawn, "The mail server said" if refused, else the attempts. */
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
  if (delivery === "disk") return <StatusMark tone="quiet">Saved, not sent</StatusMark>;
  return <StatusMark tone="good">Sent</StatusMark>;
}
