import { formatDay } from "#kit/domain/day.ts";
import { ButtonLink } from "#kit/web/ui/Button.tsx";
import { Warning } from "#kit/web/ui/states.tsx";
import type { SuspensionStatus } from "./contract.ts";

interface StandingWarningProps {
  suspension: SuspensionStatus;
  /** Show a link to the referrals. */
  linked?: boolean;
  /** Leave out overdue reports that cause no suspension: the screen shows them itself. */
  onlyConsequences?: boolean;
}

/** Warns an attorney of a suspension, a coming one, or a vacation. Source: domain rules §6. */
export function SuspensionWarning(props: StandingWarningProps) {
  const { suspension, linked = false, onlyConsequences = false } = props;
  return (
    <>
      {!(onlyConsequences && hasNoConsequence(suspension)) && (
        <ReportsWarning suspension={suspension} linked={linked} />
      )}
      {suspension.paused && suspension.pausedUntil !== null && (
        <Warning title={`You are on vacation until ${formatDay(suspension.pausedUntil)}`}>
          <p>You receive no new referrals until then. Dues and reports stay due.</p>
        </Warning>
      )}
    </>
  );
}

/** True if the overdue reports cause no suspension. */
export const hasNoConsequence = ({ suspended, suspendsOn }: SuspensionStatus): boolean =>
  !suspended && suspendsOn === null;

function ReportsWarning({ suspension, linked }: { suspension: SuspensionStatus; linked: boolean }) {
  const said = wordsOf(suspension);
  if (!said) return null;
  return (
    <Warning tone={suspension.suspended ? "bad" : "waiting"} title={said.title}>
      <p>{said.text}</p>
      {linked && (
        <ButtonLink small to="/dashboard/referrals">
          File your reports
        </ButtonLink>
      )}
    </Warning>
  );
}

function wordsOf(suspension: SuspensionStatus): { title: string; text: string } | null {
  const { suspended, reason, overdue, mustFile, suspendsOn, daysLeft } = suspension;
  if (suspended) {
    return {
      title: "You are suspended and receive no new referrals",
      text: `${reason ?? ""} ${endWords(mustFile)}`.trim(),
    };
  }
  if (overdue === 0) return null;
  if (suspendsOn === null) {
    return {
      title: overdueWords(overdue),
      text: "Each takes under a minute.",
    };
  }
  return {
    title: `You will be suspended on ${formatDay(suspendsOn)}`,
    text: `${overdueWords(overdue)}. Unless you file, you receive no new referrals ${whenWords(daysLeft)}.`,
  };
}

function endWords(mustFile: number): string {
  if (mustFile === 0) return "";
  return mustFile === 1
    ? "The suspension ends as soon as you file that report."
    : `The suspension ends as soon as you file these ${mustFile} reports.`;
}

function overdueWords(overdue: number): string {
  return overdue === 1 ? "1 status report is overdue" : `${overdue} status reports are overdue`;
}

function whenWords(daysLeft: number | null): string {
  if (daysLeft === null || daysLeft <= 0) return "from today on";
  return daysLeft === 1 ? "from tomorrow on" : `in ${daysLeft} days`;
}
