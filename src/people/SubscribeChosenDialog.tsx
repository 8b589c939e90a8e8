import { Suspense } from "react";
import { lazyComponent } from "#kit/web/lazy-component.tsx";
import { Dialog } from "#kit/web/ui/Dialog.tsx";
import { Loading } from "#kit/web/ui/states.tsx";
import type { SubscribeChosenFormProps } from "./SubscribeChosenForm.tsx";

/** Loaded when opened, so that the list of attorneys loads without the calendar and schedules. */
const SubscribeChosenForm = lazyComponent(
  "The form",
  async () => (await import("./SubscribeChosenForm.tsx")).SubscribeChosenForm,
);

/** Enrols the chosen attorneys in a plan. */
export function SubscribeChosenDialog({
  onClose,
  ...form
}: SubscribeChosenFormProps & { onClose: () => void }) {
  return (
    <Dialog title="Subscribe attorneys" onClose={onClose}>
      <Suspense fallback={<Loading />}>
        <SubscribeChosenForm {...form} />
      </Suspense>
    </Dialog>
  );
}
