import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { Link } from "react-router";
import { endpointQuery } from "#kit/web/queries.tsx";
import { RecordScreen } from "#kit/web/RecordScreen.tsx";
import { Button, ButtonLink } from "#kit/web/ui/Button.tsx";
import { DayText } from "#kit/web/ui/DayText.tsx";
import { PhoneLink } from "#kit/web/ui/Details.tsx";
import { Section } from "#kit/web/ui/layout.tsx";
import { PageHeading } from "#kit/web/ui/PageHeading.tsx";
import { listReferrals, listReports, type Matter, showMatter } from "./contract.ts";
import { CloseDialog } from "./CloseDialog.tsx";
import { MatterInfoCard } from "./MatterInfoCard.tsx";
import { MatterReports } from "./MatterReports.tsx";
import { MatterStatus } from "./MatterStatus.tsx";
import css from "./matters.module.css";
import { ReferralHistory } from "./ReferralHistory.tsx";
import { ReferForm } from "./ReferForm.tsx";
import { LateMark } from "./ReportDue.tsx";

export function MatterPage({ history }: { history: (id: number) => ReactNode }) {
  return (
    <RecordScreen name="referral" query={(id) => endpointQuery(showMatter, { params: { id } })}>
      {(matter) => <MatterRecord matter={matter} history={history} />}
    </RecordScreen>
  );
}

/** A referral: its client, attorney, status reports and history. */
function MatterRecord({ matter, history }: { matter: Matter; history: (id: number) => ReactNode }) {
  const reports = useQuery(endpointQuery(listReports, { params: { id: matter.id } }));
  const hasReports = reports.data !== undefined && reports.data.length > 0; // also by earlier attorneys
  return (
    <>
      <PageHeading
        title={matter.name}
        about={<KeyFacts matter={matter} />}
        actions={<ButtonLink to="/admin/matters/new">Record a referral</ButtonLink>}
      />
      {matter.status === "new" && <NewMatter matter={matter} />}
      <MatterInfoCard matter={matter} />
      <ReferralHistory matter={matter} />
      {(matter.attorneyId !== null || hasReports) && (
        <Section title="Status reports">
          <MatterReports matter={matter} />
        </Section>
      )}
      <Section title="History">{history(matter.id)}</Section>
    </>
  );
}

/** A referral without an attorney: refer it, or close it. */
function NewMatter({ matter }: { matter: Matter }) {
  const [isClosing, setClosing] = useState(false);
  return (
    <Section
      title="Refer to an attorney"
      onScreenOnly
      actions={
        <Button small pending={false} onClick={() => setClosing(true)}>
          Close without an attorney
        </Button>
      }
    >
      <ReferForm matter={matter} />
      {isClosing && <CloseDialog matter={matter} onClose={() => setClosing(false)} />}
    </Section>
  );
}

function KeyFacts({ matter }: { matter: Matter }) {
  const { status, attorneyId, attorneyName, reportDueOn, submittedAt } = matter;
  return (
    <span className={css["facts"]}>
      <MatterStatus status={status} />
      <span>
        Requested <DayText on={submittedAt} />
      </span>
      {attorneyId !== null && (
        <span>
          Referred to <Link to={`/admin/attorneys/${attorneyId}`}>{attorneyName}</Link>
          <AttorneyPhone matter={matter} />
        </span>
      )}
      {reportDueOn !== null && (
        <span>
          Report due <DayText on={reportDueOn} /> <LateMark dueOn={reportDueOn} />
        </span>
      )}
    </span>
  );
}

/** Clients call to ask for it. */
function AttorneyPhone({ matter }: { matter: Matter }) {
  const referrals = useQuery(endpointQuery(listReferrals, { params: { id: matter.id } }));
  const phone = referrals.data?.find((one) => one.attorneyId === matter.attorneyId)?.attorneyPhone;
  return phone ? (
    <>
      , <PhoneLink phone={phone} />
    </>
  ) : null;
}
