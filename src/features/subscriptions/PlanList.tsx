import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { call } from "#web/api.tsx";
import { endpointQuery, refetch } from "#web/queries.tsx";
import { Button } from "#web/ui/Button.tsx";
import { type Column, DataTable } from "#web/ui/DataTable.tsx";
import { Row } from "#web/ui/layout.tsx";
import { EmptyState, Notice } from "#web/ui/states.tsx";
import { archivePlan, listPlans, type Plan } from "./contract.ts";
import { NameAndNote } from "#web/ui/NameAndNote.tsx";
import { PaymentSchedule } from "./PaymentSchedule.tsx";
import { SubscribeAllDialog } from "./SubscribeAllDialog.tsx";

/** The wording is the specification's. Source: spec §8. */
const archiveQuestion =
  "You sure about this? Archiving this subscription will also irreversibly unsubscribe all attorneys from it.";

/** The plans that are not archived, with what can be done with each. */
export function PlanList() {
  const plans = useQuery(endpointQuery(listPlans));
  const [subscribing, setSubscribing] = useState<Plan | null>(null);
  const [done, setDone] = useState<string | null>(null);
  const columns: Column<Plan>[] = [
    { heading: "Name", cell: (plan) => <NameAndNote name={plan.name} note={plan.description} /> },
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
          <Button
            small
            pending={false}
            label={`Subscribe all lawyers to ${plan.name}`}
            onClick={() => {
              setDone(null);
              setSubscribing(plan);
            }}
          >
            Subscribe all lawyers
          </Button>
          <ArchiveButton plan={plan} onDone={setDone} />
        </Row>
      ),
    },
  ];
  return (
    <>
      <Notice>{done}</Notice>
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
      {subscribing && (
        <SubscribeAllDialog
          plan={subscribing}
          onClose={() => setSubscribing(null)}
          onDone={(result) => {
            setDone(result);
            setSubscribing(null);
          }}
        />
      )}
    </>
  );
}

function ArchiveButton({ plan, onDone }: { plan: Plan; onDone: (done: string) => void }) {
  const archiving = useMutation({
    mutationFn: () => call(archivePlan, { params: { id: plan.id }, body: { archived: true } }),
    onSuccess: async () => {
      await refetch(listPlans);
      onDone(`${plan.name} is archived.`);
    },
  });
  return (
    <Button
      small
      kind="danger"
      pending={archiving.isPending}
      label={`Archive ${plan.name}`}
      onClick={() => {
        if (window.confirm(archiveQuestion)) archiving.mutate();
      }}
    >
      Archive
    </Button>
  );
}
