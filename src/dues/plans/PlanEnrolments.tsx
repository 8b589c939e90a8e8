import { Link } from "react-router";
import { type Bulk, useBulkActions } from "#kit/list/BulkActions.tsx";
import { type CellsOf, ListPart, useListed } from "#kit/list/ListScreen.tsx";
import { DayText } from "#kit/web/ui/DayText.tsx";
import { Muted, Stack } from "#kit/web/ui/layout.tsx";
import { EmptyState } from "#kit/web/ui/states.tsx";
import { type PlanEnrolment, type PlanRecord } from "./contract.ts";
import { EndEnrolmentsDialog } from "./EndEnrolmentsDialog.tsx";
import { enrolments as list, listPlanEnrolments } from "./enrolments.list.ts";
import { enrolments } from "./UndoSubscribeAll.tsx";

/** A plan's current and ended enrolments. Several can be ended together. */
export function PlanEnrolments({ plan }: { plan: PlanRecord }) {
  const listed = useListed(list, listPlanEnrolments, {
    params: { id: plan.id },
    filters: { plan_id: String(plan.id) },
    path: `/admin/plans/${plan.id}`,
  });
  const isActive = listed.filters.shown["state"] !== "ended";
  const bulk = useBulkActions(listed, ending(plan, isActive));
  const choose: typeof listed.filters.choose = (changes) => {
    if ("state" in changes) bulk.ticks.clear(); // ended enrolments cannot be ended again
    listed.filters.choose(changes);
  };
  return (
    <ListPart
      listed={{ ...listed, filters: { ...listed.filters, choose } }}
      bulk={bulk}
      isFiltered={listed.filters.shown["search"] !== undefined}
      cells={cells}
      caption="Attorneys"
      hint="Searches names, email addresses, phone numbers and bar numbers for every word."
      empty={
        isActive ? (
          <EmptyState title="No attorney is enrolled">
            Use Subscribe all lawyers above, or add one attorney on the attorney’s own page.
          </EmptyState>
        ) : (
          <EmptyState title="No enrolment has ended" />
        )
      }
    />
  );
}

const ending = (plan: PlanRecord, isActive: boolean): Bulk<PlanEnrolment, unknown, "end"> => ({
  nameOf: ({ attorneyName }) => attorneyName,
  canTick: ({ endedAt }) => isActive && endedAt === null,
  actions: {
    end: {
      label: ({ count }) => `End ${enrolments(count)}`,
      kind: "danger",
      dialog: ({ rows }, props) => <EndEnrolmentsDialog plan={plan} chosen={rows} {...props} />,
    },
  },
});

const cells: CellsOf<typeof list, PlanEnrolment> = {
  attorney_name: ({ attorneyId, attorneyName, note }) => (
    <Stack gap={4}>
      <Link to={`/admin/attorneys/${attorneyId}`}>{attorneyName}</Link>
      {note && <Muted small>{note}</Muted>}
    </Stack>
  ),
  ended_on: ({ endedAt }) => endedAt && <DayText on={endedAt} />,
};
