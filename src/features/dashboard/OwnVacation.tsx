import { Suspense } from "react";
import type { Attorney } from "#features/attorneys/contract.ts";
import { lazyComponent } from "#web/lazy-component.tsx";
import { Section } from "#web/ui/layout.tsx";
import { Loading } from "#web/ui/states.tsx";

/** It brings the calendar, which most lawyers never see. */
const VacationPicker = lazyComponent(
  "The vacation picker",
  async () => (await import("#features/attorneys/VacationPicker.tsx")).VacationPicker,
);

/** The picker of the administrators, where the network lets its lawyers set their own vacation. */
export function OwnVacation({ attorney }: { attorney: Attorney }) {
  return (
    <Section title="Vacation" onScreenOnly>
      <Suspense fallback={<Loading />}>
        <VacationPicker attorney={attorney} isOwn />
      </Suspense>
    </Section>
  );
}
