import { useParams } from "react-router";
import { History } from "#features/activity/History.tsx";
import { ChargeButton } from "#features/attorney-record/ChargeButton.tsx";
import { OutstandingDebits } from "#features/attorney-record/OutstandingDebits.tsx";
import { PaymentsTable } from "#features/attorney-record/PaymentsTable.tsx";
import { DepartureSection } from "#features/departures/DepartureSection.tsx";
import { CreditSection } from "#features/ledger/CreditSection.tsx";
import { AddEnrolmentForm } from "#features/subscriptions/AddEnrolmentForm.tsx";
import { CurrentSubscriptions } from "#features/subscriptions/CurrentSubscriptions.tsx";
import { CallFailure } from "#web/call-failure.tsx";
import { NotFound } from "#web/NotFound.tsx";
import { ButtonLink } from "#web/ui/Button.tsx";
import { DayText } from "#web/ui/DayText.tsx";
import { Muted, Row, Section, SideBySide } from "#web/ui/layout.tsx";
import { PageHeading } from "#web/ui/PageHeading.tsx";
import { ErrorState, Loading, Warning } from "#web/ui/states.tsx";
import { AttorneyDetails } from "#features/attorneys/AttorneyDetails.tsx";
import { AttorneyStatus } from "#features/attorneys/AttorneyStatus.tsx";
import type { Attorney } from "#features/attorneys/contract.ts";
import { refetchAttorney, useAttorney } from "#features/attorneys/use-attorney.tsx";
import { VacationPicker } from "#features/attorneys/VacationPicker.tsx";

export function AttorneyScreen() {
  const { id = "" } = useParams();
  if (!/^[1-9]\d{0,14}$/.test(id)) return <NotFound />;
  return <AttorneyPage key={id} id={Number(id)} />;
}

function AttorneyPage({ id }: { id: number }) {
  const attorney = useAttorney(id);
  if (attorney.data) return <AttorneyRecord attorney={attorney.data} />;
  if (attorney.error instanceof CallFailure && attorney.error.status === 404) return <NotFound />;
  return (
    <>
      <PageHeading title="Attorney" />
      {attorney.error ? (
        <ErrorState
          title="The attorney could not be loaded"
          error={attorney.error}
          pending={attorney.isFetching}
          onRetry={() => void attorney.refetch()}
        />
      ) : (
        <Loading />
      )}
    </>
  );
}

/** An attorney, and what administrators do for one: contact details, subscriptions, dues. */
function AttorneyRecord({ attorney }: { attorney: Attorney }) {
  return (
    <>
      <PageHeading
        title={attorney.name}
        about={<AttorneyStatus attorney={attorney} />}
        actions={<HeadingLinks attorney={attorney} />}
      />
      {attorney.suspendedAt !== null && (
        <SuspensionWarning since={attorney.suspendedAt} reason={attorney.suspensionReason} />
      )}
      <AttorneyDetails attorney={attorney} />
      <Section title="Vacation" onScreenOnly>
        <VacationPicker attorney={attorney} />
      </Section>
      <DepartureSection attorney={attorney} />
      <SideBySide>
        <Section title="Add a subscription">
          <AddEnrolmentForm
            attorneyId={attorney.id}
            plans={attorney.subscriptions}
            onChange={refetchAttorney}
          />
        </Section>
        <Section title="Current Subscriptions">
          <CurrentSubscriptions
            enrolments={attorney.subscriptionInstances}
            onChange={refetchAttorney}
          />
        </Section>
      </SideBySide>
      <Section title="Outstanding Debits" actions={<ChargeButton attorney={attorney} />}>
        <OutstandingDebits debits={attorney.outstandingPayments} onChange={refetchAttorney} />
      </Section>
      <Section title="Credit">
        <CreditSection attorney={attorney} onChange={refetchAttorney} />
      </Section>
      <Section title="Payments">
        <PaymentsTable
          onlinePayments={attorney.onlinePayments}
          checkPayments={attorney.checkPayments}
          onChange={refetchAttorney}
        />
      </Section>
      <Section title="History">
        <History of={{ attorney_id: attorney.id }} />
      </Section>
    </>
  );
}

/** What is recorded for an attorney. On vacation, suspended or departed, they get no referrals. */
function HeadingLinks({ attorney: { id, paused, suspended, leftOn } }: { attorney: Attorney }) {
  return (
    <Row>
      {!paused && !suspended && leftOn === null && (
        <ButtonLink to={`/admin/matters/new?attorney=${id}`}>Record a referral</ButtonLink>
      )}
      <ButtonLink to={`/admin/matters?attorney=${id}`}>Show referrals</ButtonLink>
      <ButtonLink to={`/admin/checks/new?attorney_id=${id}`}>Record a check</ButtonLink>
      <ButtonLink to={`/statements/${id}`}>Statement</ButtonLink>
    </Row>
  );
}

function SuspensionWarning({ since, reason }: { since: string; reason: string | null }) {
  return (
    <Warning tone="bad" title="Suspended for overdue reports">
      <p>{reason}</p>
      <Muted small>
        Since <DayText on={since} />. It ends by itself once these reports are filed.
      </Muted>
    </Warning>
  );
}
