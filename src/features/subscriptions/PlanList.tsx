import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "react-router";
import { endpointQuery } from "#web/queries.tsx";
import { type Column, DataTable } from "#web/ui/DataTable.tsx";
import { Muted, Row, Stack } from "#web/ui/layout.tsx";
import { EmptyState } from "#web/ui/states.tsx";
import { ArchivePlanButton } from "./ArchivePlanButton.tsx";
import { listPlans, type Plan } from "./contract.ts";
import { PaymentSchedule } from "./PaymentSchedule.tsx";
import { type Done, DoneNotice } from "./DoneNotice.tsx";
import { SubscribeAllButton } from "./SubscribeAllButton.tsx";

/** The plans that are not archived, with what can be done with each. */
export function PlanList() {
  const plans = useQuery(endpointQuery(listPlans));
  const [done, setDone] = useState<Done | null>(null);
  const columns: Column<Plan>[] = [
    { heading: "Name", cell: (plan) => <PlanLink plan={plan} /> },
    { heading: "Payment schedule", amount: true, cell: (plan) => <PaymentSchedule of={plan} /> },
    {
      heading: "Enrolled",
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
        columns={columns}
        rows={plans.data?.filter((plan) => !plan.archived)}
        keyOf={(plan) => plan.id}
        empty={
          <EmptyState title="You have not created any subscriptions">
            Once you create one, you can subscribe lawyers to it here.
          </EmptyState>
        }
        pending={plans.isFetching}
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
