import { useState } from "react";
import { Link } from "react-router";
import { UndoSubscribeAll } from "#dues/plans/UndoSubscribeAll.tsx";
import type { CellsOf } from "#kit/list/ListScreen.tsx";
import { TimeText } from "#kit/web/ui/DayText.tsx";
import { Muted, Stack } from "#kit/web/ui/layout.tsx";
import { Notice } from "#kit/web/ui/states.tsx";
import type { activity } from "./activity.list.ts";
import { Changes } from "./Changes.tsx";
import type { Activity } from "./contract.ts";
import { recordAddress, recordKind, recordTitle } from "./record-words.tsx";
import { actionTitle } from "./shapes.ts";

/** The cells of a change, in the list and on a record's own page. */
export const cells = {
  changed_at: ({ at }) => <TimeText at={at} />,
  who: ({ who }) => who,
  what: ({ action }) => actionTitle(action),
  record_name: (entry) => <RecordLink of={entry} />,
  changes: (entry) => (
    <>
      <Changes of={entry} />
      <UndoOffer of={entry} />
    </>
  ),
} satisfies CellsOf<typeof activity, Activity>;

/** Subscribe all, and subscribing several, can be undone for one day. */
function UndoOffer({ of: { action, undoBatchId, recordName } }: { of: Activity }) {
  const [done, setDone] = useState<string | null>(null);
  return (
    <>
      <Notice>{done}</Notice>
      {undoBatchId !== null && (
        <div className="actions">
          <UndoSubscribeAll
            small
            what={action === "subscribed several" ? "subscribing several" : "Subscribe all"}
            batchId={undoBatchId}
            planName={recordName ?? "it"}
            onDone={setDone}
          />
        </div>
      )}
    </>
  );
}

function RecordLink({ of: entry }: { of: Activity }) {
  const address = recordAddress(entry);
  const title = recordTitle(entry);
  const kind = recordKind(entry);
  return (
    <Stack gap={4}>
      {address === null ? <span>{title}</span> : <Link to={address}>{title}</Link>}
      {kind !== null && <Muted small>{kind}</Muted>}
    </Stack>
  );
}
