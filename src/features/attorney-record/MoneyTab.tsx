import type { Attorney } from "#features/attorneys/contract.ts";
import { VacationPicker } from "#features/attorneys/VacationPicker.tsx";
import { CreditSection } from "#features/ledger/CreditSection.tsx";
import { AddEnrolmentForm } from "#features/subscriptions/AddEnrolmentForm.tsx";
import { CurrentSubscriptions } from "#features/subscriptions/CurrentSubscriptions.tsx";
import { Section, SideBySide } from "#web/ui/layout.tsx";
import { ChargeButton } from "./ChargeButton.tsx";
import { OutstandingDebits } from "./OutstandingDebits.tsx";
import { PaymentsTable } from "./PaymentsTable.tsx";

/**
 * The vacation picker and the whole subscription panel of the specification, in view at once; who has left takes no
 * vacation and is subscribed to nothing. Source: spec §2.
 */
export function MoneyTab({ attorney }: { attorney: Attorney }) {
  return (
    <>
      {attorney.leftOn === null && <VacationAndSubscriptions attorney={attorney} />}
      <Section title="Outstanding Debits" actions={<ChargeButton attorney={attorney} />}>
        <OutstandingDebits debits={attorney.outstandingPayments} />
      </Section>
      <Section title="Credit">
        <CreditSection attorney={attorney} />
      </Section>
      <Section title="Payments">
        <PaymentsTable attorney={attorney} />
      </Section>
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
