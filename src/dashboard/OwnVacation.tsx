import { Suspense } from "react";
import type { Attorney } from "#people/contract.ts";
import { lazyComponent } from "#kit/web/lazy-component.tsx";
import { Section } from "#kit/web/ui/layout.tsx";
import { Loading } from "#kit/web/ui/states.tsx";

/** Loaded only when needed: it includes the calendar, which most lawyers never open. */
const VacationPicker = lazyComponent(
  "The vacation picker",
  async () => (await import("#people/VacationPicker.tsx")).VacationPicker,
);

/** The administrators' vacation picker, shown when the network lets lawyers set their own vacation. */
export function OwnVacation({ attorney }: { attorney: Attorney }) {
  return (
    <Section title="Vacation" onScreenOnly>
      <Suspense fallback={<Loading />}>
        <VacationPicker attorney={attorney} isOwn />
      </Suspense>
    </Section>
  );
}
