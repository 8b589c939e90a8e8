import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "react-router";
import { sortNames } from "#kit/list/list-endpoint.ts";
import { type CellsOf, columnsOf } from "#kit/list/ListScreen.tsx";
import { endpointQuery } from "#kit/web/queries.tsx";
import { DataTable } from "#kit/web/ui/DataTable.tsx";
import { Muted, Row, Stack } from "#kit/web/ui/layout.tsx";
import { useSort } from "#kit/web/ui/sort.tsx";
import { EmptyState } from "#kit/web/ui/states.tsx";
import { ArchivePlanButton } from "./ArchivePlanButton.tsx";
import { type Plan } from "./contract.ts";
import { PaymentSchedule } from "./PaymentSchedule.tsx";
import { plans as list, listPlans } from "./plans.list.ts";
import { type Done, DoneNotice } from "./DoneNotice.tsx";
import { SubscribeAllButton } from "./SubscribeAllButton.tsx";

/** Plans that are not archived, with their actions. */
export function PlanList() {
  const sort = useSort(sortNames(list));
  const plans = useQuery({
    ...endpointQuery(listPlans, { query: { sort: sort.by } }),
    placeholderData: keepPreviousData,
  });
  const [done, setDone] = useState<Done | null>(null);
  return (
    <>
      <DoneNotice done={done} onDone={setDone} />
      <DataTable
        caption="Your Subscriptions"
        captionHidden
        sort={sort}
        columns={columnsOf(list, { shown: {}, cells: cellsFor(setDone) }, undefined)}
        rows={plans.data?.filter((plan) => !plan.archived)}
        keyOf={(plan) => plan.id}
        empty={
          <EmptyState title="You have not created any subscriptions">
            After you create one, you can subscribe attorneys to it here.
          </EmptyState>
        }
        pending={plans.isFetching}
        stale={plans.isPlaceholderData}
        error={plans.error}
        onRetry={() => void plans.refetch()}
      />
    </>
  );
}

const cellsFor = (onDone: (done: Done | null) => void): CellsOf<typeof list, Plan> => ({
  name: (plan) => <PlanLink plan={plan} />,
  amount: (plan) => <PaymentSchedule of={plan} />,
  enrolled: ({ enrolledCount }) => enrolledCount.toLocaleString("en-US"),
  actions: (plan) => (
    <Row>
      <SubscribeAllButton small plan={plan} onDone={onDone} />
      <ArchivePlanButton small plan={plan} onDone={(words) => onDone({ words })} />
    </Row>
  ),
});

function PlanLink({ plan: { id, name, description } }: { plan: Plan }) {
  return (
    <Stack gap={4}>
      <Link to={`/admin/plans/${id}`}>{name}</Link>
      {description && <Muted small>{description}</Muted>}
    </Stack>
  );
}
