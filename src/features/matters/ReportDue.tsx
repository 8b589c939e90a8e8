import { type Day, daysBetween } from "#domain/day.ts";
import { useToday } from "#web/session.tsx";
import { DayText } from "#web/ui/DayText.tsx";
import { Muted, Stack } from "#web/ui/layout.tsx";
import { StatusMark } from "#web/ui/StatusMark.tsx";

/** When the next status report is due, and by how many days it is overdue. */
export function ReportDue({ on }: { on: Day | null }) {
  const today = useToday();
  if (on === null) return <Muted>None</Muted>;
  const late = daysBetween(on, today);
  if (late < 0) return <DayText on={on} />;
  return (
    <Stack gap={4}>
      <DayText on={on} />
      <div>
        {late === 0 ? (
          <StatusMark tone="waiting">Due today</StatusMark>
        ) : (
          <StatusMark tone="bad">{`${late} ${late === 1 ? "day" : "days"} overdue`}</StatusMark>
        )}
      </div>
    </Stack>
  );
}
