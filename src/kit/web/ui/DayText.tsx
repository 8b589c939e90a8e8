import { dayOf } from "#kit/domain/day.ts";
import { useSession } from "#kit/web/session.tsx";

/**
 * A calendar day (`YYYY-MM-DD`) or an instant (ISO 8601) as MM/DD/YYYY. An instant is shown as its day in the
 * network's time zone. Source: spec §9.
 */
export function DayText({ on }: { on: string }) {
  const { timeZone } = useSession();
  return <time dateTime={on}>{on.length === 10 ? usDate(on) : dayOf(on, timeZone)}</time>;
}

/** An instant with its time in the network's time zone: MM/DD/YYYY, 2:05 AM. */
export function TimeText({ at }: { at: string }) {
  const { timeZone } = useSession();
  const time = { timeZone, hour: "numeric", minute: "2-digit" } as const;
  return (
    <time dateTime={at}>
      {dayOf(at, timeZone)}, {new Intl.DateTimeFormat("en-US", time).format(new Date(at))}
    </time>
  );
}

function usDate(day: string): string {
  const [year, month, date] = day.split("-");
  return `${month}/${date}/${year}`;
}
