import { useQuery } from "@tanstack/react-query";
import type { Filters } from "#kit/list/define-list.ts";
import { ListScreen, useListed } from "#kit/list/ListScreen.tsx";
import { endpointQuery } from "#kit/web/queries.tsx";
import { EmptyState } from "#kit/web/ui/states.tsx";
import { cells } from "./activity-cells.tsx";
import { activity } from "./activity.list.ts";
import { type Activity, listActivity, listPeople } from "./contract.ts";
import { recordTitle } from "./record-words.tsx";
import { recordLabels } from "./shapes.ts";

/** Every change by a person or a job, with who and when. Source: domain rules §8. */
export function ActivityScreen() {
  const people = useQuery(endpointQuery(listPeople));
  const listed = useListed(activity, listActivity);
  return (
    <ListScreen
      listed={listed}
      options={{ who: people.data }}
      cells={cells}
      about={aboutOf(listed.filters.shown)}
      empty={
        <EmptyState title="No changes yet">
          Every change appears here, with who made it and when.
        </EmptyState>
      }
    />
  );
}

/** The record that the address names, if any. */
const aboutOf =
  ({ record_id, record_type = "" }: Filters) =>
  ({ items: [newest] }: { items: Activity[] }) =>
    record_id !== undefined &&
    newest &&
    `Only the ${(recordLabels[record_type] ?? "record").toLowerCase()} ${recordTitle(newest)}.`;
