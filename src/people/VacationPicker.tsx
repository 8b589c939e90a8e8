import { useMutation } from "@tanstack/react-query";
import { type Day, formatDay } from "#kit/domain/day.ts";
import { call } from "#kit/web/api.tsx";
import { fieldErrorsOf } from "#kit/web/call-failure.tsx";
import { useToday } from "#kit/web/session.tsx";
import { Button } from "#kit/web/ui/Button.tsx";
import { DayField } from "#kit/web/ui/DayField.tsx";
import { Muted, Row } from "#kit/web/ui/layout.tsx";
import { Notice } from "#kit/web/ui/states.tsx";
import { type Attorney, pauseAttorney } from "./contract.ts";

interface VacationPickerProps {
  attorney: Attorney;
  /** The attorney sets their own vacation. */
  isOwn?: boolean;
}

/** Sets the date until which an attorney gets no new referrals. Saves on choosing a date. Source: spec §2. */
export function VacationPicker({ attorney, isOwn = false }: VacationPickerProps) {
  const today = useToday();
  const pausing = useMutation({
    mutationFn: async (until: string) => {
      const body = { attorney_id: attorney.id, paused_until: until };
      const changed = await call(pauseAttorney, { body });
      return changed;
    },
  });
  const isUnsaved = pausing.isPending || pausing.isError;
  const shown = isUnsaved && pausing.variables !== "off" ? pausing.variables : pausedDay(attorney);
  const handleDay = (day: Day | null) => {
    if (day === null || pausing.isPending) return;
    if (day === pausedDay(attorney)) pausing.reset();
    else pausing.mutate(day);
  };
  return (
    <>
      <Row gap={16} align="end">
        <DayField
          label="Vacation until:"
          earliest={today}
          value={shown ?? null}
          error={fieldErrorsOf(pausing.error)[0]?.message}
          onChange={() => undefined}
          onSettled={handleDay}
        />
        {attorney.paused && (
          <Button
            pending={pausing.isPending && pausing.variables === "off"}
            onClick={() => pausing.mutate("off")}
          >
            Unpause
          </Button>
        )}
      </Row>
      <Muted small>No new referrals until that date. Dues and reports stay due.</Muted>
      <Notice>
        {pausing.isSuccess && isCurrent(pausing.data, attorney) && doneWords(pausing.data, isOwn)}
      </Notice>
    </>
  );
}

/** Null once the vacation is over. */
function pausedDay({ paused, pausedUntil }: Attorney): Day | null {
  return paused ? pausedUntil : null;
}

/** Whether the saved vacation still applies: somebody else may have changed it since. */
const isCurrent = (saved: Attorney, now: Attorney): boolean => pausedDay(saved) === pausedDay(now);

function doneWords({ name, paused, pausedUntil }: Attorney, isOwn: boolean): string {
  const who = isOwn ? "You are" : `${name} is`;
  return paused && pausedUntil !== null
    ? `${who} on vacation until ${formatDay(pausedUntil)}.`
    : `${who} not on vacation.`;
}
