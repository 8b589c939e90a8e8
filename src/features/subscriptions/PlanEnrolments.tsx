import { useState } from "react";
import { Link } from "react-router";
import { type CellsOf, ListPart, useListed } from "#list/ListScreen.tsx";
import { Button } from "#web/ui/Button.tsx";
import { ChosenBar } from "#web/ui/ChosenBar.tsx";
import { DayText } from "#web/ui/DayText.tsx";
import { Muted, Stack } from "#web/ui/layout.tsx";
import { EmptyState } from "#web/ui/states.tsx";
import { useTicks } from "#web/ui/ticks.tsx";
import { type PlanEnrolment, type PlanRecord } from "./contract.ts";
import { EndEnrolmentsDialog } from "./EndEnrolmentsDialog.tsx";
import { enrolments as list, listPlanEnrolments } from "./enrolments.list.ts";
import { enrolments } from "./UndoSubscribeAll.tsx";

/** Who is enrolled in a plan, or was; several enrolments can be ended at once. */
export function PlanEnrolments({ plan }: { plan: PlanRecord }) {
  const [isEnding, setEnding] = useState(false);
  const [done, setDone] = useState<string | null>(null);
  const listed = useListed(list, listPlanEnrolments, {
    params: { id: plan.id },
    filters: { plan_id: String(plan.id) },
    path: `/admin/plans/${plan.id}`,
  });
  const isActive = listed.filters.shown["state"] !== "ended";
  const ticks = useTicks({
    rows: listed.rows.data?.items,
    keyOf: ({ id }) => id,
    nameOf: ({ attorneyName }) => attorneyName,
    canTick: () => isActive,
  });
  const choose: typeof listed.filters.choose = (changes) => {
    if ("state" in changes) ticks.clear(); // those that have ended cannot be ended
    listed.filters.choose(changes);
  };
  return (
    <Stack>
      <ListPart
        listed={{ ...listed, filters: { ...listed.filters, choose } }}
        isFiltered={listed.filters.shown["search"] !== undefined}
        cells={cells}
        caption="Lawyers"
        {...(isActive && { ticks })}
        hint="The search looks for every word in names, email addresses, phone and bar numbers."
        empty={
          isActive ? (
            <EmptyState title="Nobody is enrolled">
              Subscribe all lawyers above, or one on the lawyer’s own page.
            </EmptyState>
          ) : (
            <EmptyState title="No enrolment has ended" />
          )
        }
      />
      <ChosenBar ticks={ticks} done={done}>
        <Button kind="danger" pending={false} onClick={() => setEnding(true)}>
          {`End ${enrolments(ticks.chosen.length)}`}
        </Button>
      </ChosenBar>
      {isEnding && (
        <EndEnrolmentsDialog
          plan={plan}
          chosen={ticks.chosen}
          onClose={() => setEnding(false)}
          onDone={(result) => {
            setEnding(false);
            ticks.clear();
            setDone(result);
          }}
        />
      )}
    </Stack>
  );
}

const cells: CellsOf<typeof list, PlanEnrolment> = {
  attorney_name: ({ attorneyId, attorneyName, note }) => (
    <Stack gap={4}>
      <Link to={`/admin/attorneys/${attorneyId}`}>{attorneyName}</Link>
      {note && <Muted small>{note}</Muted>}
    </Stack>
  ),
  ended_on: ({ endedAt }) => endedAt && <DayText on={endedAt} />,
};
