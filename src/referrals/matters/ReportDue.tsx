import { type Day, daysBetween } from "#kit/domain/day.ts";
import { useToday } from "#kit/web/session.tsx";
import { DayText } from "#kit/web/ui/DayText.tsx";
import { Muted, Stack } from "#kit/web/ui/layout.tsx";
import { StatusMark } from "#kit/web/ui/StatusMark.tsx";

/** The due date of the next status report, and how many days it is overdue. */
export function ReportDue({ on }: { on: Day | null }) {
  if (on === null) return <Muted>None</Muted>;
  return (
    <Stack gap={4}>
      <DayText on={on} />
      <div>
        <LateMark dueOn={on} />
      </div>
    </Stack>
  );
}

/** Marks a report that is due today or overdue. */
export function LateMark({ dueOn }: { dueOn: Day }) {
  const late = daysBetween(dueOn, useToday());
  if (late < 0) return null;
  if (late === 0) return <StatusMark tone="waiting">Due today</StatusMark>;
  return <StatusMark tone="bad">{`${late} ${late === 1 ? "day" : "days"} overdue`}</StatusMark>;
}
