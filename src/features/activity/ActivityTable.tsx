import { type ReactNode, useState } from "react";
import { Link } from "react-router";
import type { Page } from "#contract/page.ts";
import type { List } from "#web/queries.tsx";
import { type Column, DataTable } from "#web/ui/DataTable.tsx";
import { TimeText } from "#web/ui/DayText.tsx";
import { Muted, Stack } from "#web/ui/layout.tsx";
import type { Sort } from "#web/ui/sort.tsx";
import { Notice } from "#web/ui/states.tsx";
import { UndoSubscribeAll } from "#features/subscriptions/UndoSubscribeAll.tsx";
import { Changes } from "./Changes.tsx";
import type { Activity } from "./contract.ts";
import { recordAddress, recordKind, recordTitle } from "./record-words.tsx";
import { actionTitle } from "./shapes.ts";

const when: Column<Activity> = {
  heading: "When",
  sort: "time",
  sortsDown: true,
  cell: ({ at }) => <TimeText at={at} />,
};
const who: Column<Activity> = { heading: "Who", cell: (entry) => entry.who };
const what: Column<Activity> = { heading: "What", cell: ({ action }) => actionTitle(action) };
const record: Column<Activity> = { heading: "Record", cell: (entry) => <RecordLink of={entry} /> };
const changes: Column<Activity> = {
  heading: "Changes",
  cell: (entry) => (
    <>
      <Changes of={entry} />
      <UndoOffer of={entry} />
    </>
  ),
};

interface ActivityTableProps {
  caption: string;
  list: List<Page<Activity>>;
  empty: ReactNode;
  sort?: Sort;
  /** On a record's own page, which record need not be said. */
  ofOneRecord?: boolean;
}

/** Who changed what and when, newest first. */
export function ActivityTable(props: ActivityTableProps) {
  const { caption, list, empty, sort, ofOneRecord = false } = props;
  return (
    <DataTable
      caption={caption}
      captionHidden
      {...(sort && { sort })}
      columns={ofOneRecord ? [when, who, what, changes] : [when, who, what, record, changes]}
      rows={list.data?.items}
      keyOf={(entry) => entry.id}
      empty={empty}
      pending={list.isFetching}
      stale={list.isPlaceholderData}
      error={list.error}
      onRetry={() => void list.refetch()}
    />
  );
}

/** A Subscribe all, and subscribing several, can be undone for a day. */
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
