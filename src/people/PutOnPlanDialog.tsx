import { Suspense } from "react";
import { lazyComponent } from "#kit/web/lazy-component.tsx";
import { Dialog } from "#kit/web/ui/Dialog.tsx";
import { Loading } from "#kit/web/ui/states.tsx";
import type { PutOnPlanFormProps } from "./PutOnPlanForm.tsx";

/** Loaded when opened, so that the list of attorneys loads without the calendar and schedules. */
const PutOnPlanForm = lazyComponent(
  "The form",
  async () => (await import("./PutOnPlanForm.tsx")).PutOnPlanForm,
);

/** Enrols the chosen attorneys in a plan. */
export function PutOnPlanDialog({
  onClose,
  ...form
}: PutOnPlanFormProps & { onClose: () => void }) {
  return (
    <Dialog title="Subscribe attorneys" onClose={onClose}>
      <Suspense fallback={<Loading />}>
        <PutOnPlanForm {...form} />
      </Suspense>
    </Dialog>
  );
}
