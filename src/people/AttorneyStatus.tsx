import { formatDay } from "#kit/domain/day.ts";
import { Row } from "#kit/web/ui/layout.tsx";
import { StatusMark } from "#kit/web/ui/StatusMark.tsx";
import type { AttorneyRow } from "#panel/contract.ts";

interface AttorneyStatusProps {
  attorney: Pick<AttorneyRow, "paused" | "pausedUntil" | "suspended" | "leftOn">;
}

/** Whether an attorney gets referrals or why not, in the words of the panel's filter. */
export function AttorneyStatus({ attorney }: AttorneyStatusProps) {
  const { paused, pausedUntil, suspended, leftOn } = attorney;
  if (leftOn !== null) return <StatusMark tone="quiet">{`Left ${formatDay(leftOn)}`}</StatusMark>;
  const isAway = paused && pausedUntil !== null;
  return (
    <Row gap={16}>
      {suspended && <StatusMark tone="bad">Suspended</StatusMark>}
      {isAway && (
        <StatusMark tone="waiting">{`On vacation until ${formatDay(pausedUntil)}`}</StatusMark>
      )}
      {!isAway && !suspended && <StatusMark tone="good">Active</StatusMark>}
    </Row>
  );
}
