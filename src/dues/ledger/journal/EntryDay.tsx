import { dayOf, formatDay } from "#kit/domain/day.ts";
import { useSession } from "#kit/web/session.tsx";
import { DayText } from "#kit/web/ui/DayText.tsx";
import { Muted, Stack } from "#kit/web/ui/layout.tsx";
import type { Entry } from "./contract.ts";

/** The day of an entry, and the day it was recorded if different. */
export function EntryDay({ entry: { on, recordedAt } }: { entry: Entry }) {
  const { timeZone } = useSession();
  const recordedOn = dayOf(recordedAt, timeZone);
  if (recordedOn === formatDay(on)) return <DayText on={on} />;
  return (
    <Stack gap={4}>
      <DayText on={on} />
      <Muted small>{`recorded ${recordedOn}`}</Muted>
    </Stack>
  );
}
