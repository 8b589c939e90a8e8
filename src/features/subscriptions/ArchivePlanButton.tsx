import { useMutation } from "@tanstack/react-query";
import { listActivity } from "#features/activity/contract.ts";
import { call } from "#web/api.tsx";
import { refetch } from "#web/queries.tsx";
import { Button } from "#web/ui/Button.tsx";
import { archivePlan, listPlanEnrolments, listPlans, type Plan, showPlan } from "./contract.ts";

/** The wording is the specification's. Source: spec §8. */
const archiveQuestion =
  "You sure about this? Archiving this subscription will also irreversibly unsubscribe all attorneys from it.";

/** Archives a plan for good, once that was agreed to. */
export function ArchivePlanButton({
  plan,
  small = false,
  onDone,
}: {
  plan: Plan;
  small?: boolean;
  onDone: (done: string) => void;
}) {
  const archiving = useMutation({
    mutationFn: () => call(archivePlan, { params: { id: plan.id }, body: { archived: true } }),
    onSuccess: async () => {
      await refetch(listPlans, showPlan, listPlanEnrolments, listActivity);
      onDone(`${plan.name} is archived.`);
    },
  });
  return (
    <Button
      small={small}
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
