import type { Attorney } from "#people/contract.ts";
import { VacationPicker } from "#people/VacationPicker.tsx";
import { CreditSection } from "#dues/ledger/CreditSection.tsx";
import { AddEnrolmentForm } from "#dues/plans/AddEnrolmentForm.tsx";
import { CurrentSubscriptions } from "#dues/plans/CurrentSubscriptions.tsx";
import { Section, SideBySide } from "#kit/web/ui/layout.tsx";
import { ChargeButton } from "./ChargeButton.tsx";
import type { AttorneySections } from "./attorney-sections.tsx";

/**
 * The vacation picker and the specification's subscription panel together. Attorneys who have left get neither vacation
 * nor subscriptions. Source: spec §2.
 */
export function MoneyTab({
  attorney,
  sections,
}: {
  attorney: Attorney;
  sections: AttorneySections;
}) {
  return (
    <>
      {attorney.leftOn === null && <VacationAndSubscriptions attorney={attorney} />}
      <Section title="Outstanding Debits" actions={<ChargeButton attorney={attorney} />}>
        {sections.debits(attorney)}
      </Section>
      <Section title="Credit">
        <CreditSection attorney={attorney} />
      </Section>
      <Section title="Payments">{sections.payments(attorney)}</Section>
    </>
  );
}

function VacationAndSubscriptions({ attorney }: { attorney: Attorney }) {
  return (
    <>
      <Section title="Vacation" onScreenOnly>
        <VacationPicker attorney={attorney} />
      </Section>
      <SideBySide>
        <Section title="Add a subscription">
          <AddEnrolmentForm
            attorneyId={attorney.id}
            plans={attorney.subscriptions}
            enrolments={attorney.subscriptionInstances}
          />
        </Section>
        <Section title="Current Subscriptions">
          <CurrentSubscriptions enrolments={attorney.subscriptionInstances} />
        </Section>
      </SideBySide>
    </>
  );
}
