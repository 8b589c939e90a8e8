import { useMutation } from "@tanstack/react-query";
import { call } from "#kit/web/api.tsx";
import { Button } from "#kit/web/ui/Button.tsx";
import { archivePlan, type Plan } from "./contract.ts";

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
    onSuccess: () => onDone(`${plan.name} is archived.`),
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
