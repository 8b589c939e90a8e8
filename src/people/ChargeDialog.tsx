import { Suspense } from "react";
import { lazyComponent } from "#kit/web/lazy-component.tsx";
import { Dialog } from "#kit/web/ui/Dialog.tsx";
import { Loading } from "#kit/web/ui/states.tsx";
import type { ChargeFormProps } from "./ChargeForm.tsx";

/** Loaded when opened, so that the list of attorneys loads without the calendar. */
const ChargeForm = lazyComponent(
  "The form",
  async () => (await import("./ChargeForm.tsx")).ChargeForm,
);

/** Charges the chosen attorneys, or all. */
export function ChargeDialog({ onClose, ...form }: ChargeFormProps & { onClose: () => void }) {
  const [only] = form.chosen;
  const title = form.chosenOnly && only ? `Charge ${only.name}` : "Charge attorneys";
  return (
    <Dialog title={title} onClose={onClose}>
      <Suspense fallback={<Loading />}>
        <ChargeForm {...form} />
      </Suspense>
    </Dialog>
  );
}
