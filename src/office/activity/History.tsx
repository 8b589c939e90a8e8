import { useQuery } from "@tanstack/react-query";
import { Link } from "react-router";
import { endpointQuery } from "#kit/web/queries.tsx";
import { type Column, DataTable } from "#kit/web/ui/DataTable.tsx";
import { EmptyState } from "#kit/web/ui/states.tsx";
import { cells } from "./activity-cells.tsx";
import { activity } from "./activity.list.ts";
import { type Activity, listActivity } from "./contract.ts";

const initialCount = 10;

const columnOf = (name: keyof typeof cells): Column<Activity> => ({
  heading: activity.screen[name],
  cell: cells[name],
});
const changed = [columnOf("changed_at"), columnOf("who"), columnOf("what")];
/** On a record's own page, its name is left out. */
const ofOneRecord = [...changed, columnOf("changes")];
const ofAttorney = [...changed, columnOf("record_name"), columnOf("changes")];

/** An attorney with all of their records, or one record of a kind. */
type Subject =
  | { attorney_id: number }
  | { record_type: "matter" | "received check" | "deposit"; record_id: number };

/** The newest changes of a record, on its own page. */
export function History({ of: subject }: { of: Subject }) {
  const list = useQuery(
    endpointQuery(listActivity, {
      query: { page: 1, per_page: initialCount, ...subject },
    }),
  );
  const total = list.data?.total ?? 0;
  return (
    <>
      <DataTable
        caption="History"
        captionHidden
        columns={"record_type" in subject ? ofOneRecord : ofAttorney}
        rows={list.data?.items}
        keyOf={({ id }) => id}
        empty={<EmptyState title="No changes yet" />}
        pending={list.isFetching}
        stale={list.isPlaceholderData}
        error={list.error}
        onRetry={() => void list.refetch()}
      />
      {total > initialCount && (
        <p>
          <Link to={addressOf(subject)}>{`All ${total.toLocaleString("en-US")} changes`}</Link>
        </p>
      )}
    </>
  );
}

function addressOf(subject: Subject): string {
  return "attorney_id" in subject
    ? `/admin/activity?attorney=${subject.attorney_id}`
    : `/admin/activity?type=${subject.record_type}&record=${subject.record_id}`;
}
