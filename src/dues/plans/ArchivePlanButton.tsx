import { useMutation } from "@tanstack/react-query";
import { call } from "#kit/web/api.tsx";
import { Button } from "#kit/web/ui/Button.tsx";
import { archivePlan, type Plan } from "./contract.ts";

/** Fixed wording. Source: spec §8. */
const archiveQuestion =
  "You sure about this? Archiving this subscription will also irreversibly unsubscribe all attorneys from it.";

/** Archives a plan after a confirmation. This cannot be undone. */
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
    onSuccess: () => onDone(`${plan.name} was archived.`),
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
