import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "react-router";
import { endpointQuery } from "#web/queries.tsx";
import { type Column, DataTable } from "#web/ui/DataTable.tsx";
import { Muted, Row, Stack } from "#web/ui/layout.tsx";
import { useSort } from "#web/ui/sort.tsx";
import { EmptyState } from "#web/ui/states.tsx";
import { ArchivePlanButton } from "./ArchivePlanButton.tsx";
import { listPlans, type Plan, planColumns } from "./contract.ts";
import { PaymentSchedule } from "./PaymentSchedule.tsx";
import { type Done, DoneNotice } from "./DoneNotice.tsx";
import { SubscribeAllButton } from "./SubscribeAllButton.tsx";

/** The plans that are not archived, with what can be done with each. */
export function PlanList() {
  const sort = useSort(planColumns);
  const plans = useQuery({
    ...endpointQuery(listPlans, { query: { sort: sort.by } }),
    placeholderData: keepPreviousData,
  });
  const [done, setDone] = useState<Done | null>(null);
  const columns: Column<Plan>[] = [
    { heading: "Name", sort: "name", cell: (plan) => <PlanLink plan={plan} /> },
    {
      heading: "Payment schedule",
      sort: "amount",
      amount: true,
      cell: (plan) => <PaymentSchedule of={plan} />,
    },
    {
      heading: "Enrolled",
      sort: "enrolled",
      amount: true,
      cell: (plan) => plan.enrolledCount.toLocaleString("en-US"),
    },
    {
      heading: "Actions",
      actions: true,
      cell: (plan) => (
        <Row>
          <SubscribeAllButton small plan={plan} onDone={setDone} />
          <ArchivePlanButton small plan={plan} onDone={(words) => setDone({ words })} />
        </Row>
      ),
    },
  ];
  return (
    <>
      <DoneNotice done={done} onDone={setDone} />
      <DataTable
        caption="Your Subscriptions"
        captionHidden
        sort={sort}
        columns={columns}
        rows={plans.data?.filter((plan) => !plan.archived)}
        keyOf={(plan) => plan.id}
        empty={
          <EmptyState title="You have not created any subscriptions">
            Once you create one, you can subscribe lawyers to it here.
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

function PlanLink({ plan: { id, name, description } }: { plan: Plan }) {
  return (
    <Stack gap={4}>
      <Link to={`/admin/plans/${id}`}>{name}</Link>
      {description && <Muted small>{description}</Muted>}
    </Stack>
  );
}
