import { Suspense } from "react";
import { lazyComponent } from "#kit/web/lazy-component.tsx";
import { Dialog } from "#kit/web/ui/Dialog.tsx";
import { Loading } from "#kit/web/ui/states.tsx";
import type { PutOnPlanFormProps } from "./PutOnPlanForm.tsx";

/** Loaded when it is opened: the list of attorneys needs neither its calendar nor schedules. */
const PutOnPlanForm = lazyComponent(
  "The form",
  async () => (await import("./PutOnPlanForm.tsx")).PutOnPlanForm,
);

/** Enrols those who are chosen in a plan. */
export function PutOnPlanDialog({
  onClose,
  ...form
}: PutOnPlanFormProps & { onClose: () => void }) {
  return (
    <Dialog title="Put attorneys on a plan" onClose={onClose}>
      <Suspense fallback={<Loading />}>
        <PutOnPlanForm {...form} />
      </Suspense>
    </Dialog>
  );
}
