import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link, useParams } from "react-router";
import { History } from "#office/activity/History.tsx";
import { useAttorney } from "#people/use-attorney.tsx";
import { CallFailure } from "#kit/web/call-failure.tsx";
import { NotFound } from "#kit/web/NotFound.tsx";
import { endpointQuery, expectsNotFound } from "#kit/web/queries.tsx";
import { Button, ButtonLink } from "#kit/web/ui/Button.tsx";
import { DayText } from "#kit/web/ui/DayText.tsx";
import { PhoneLink } from "#kit/web/ui/Details.tsx";
import { Section } from "#kit/web/ui/layout.tsx";
import { PageHeading } from "#kit/web/ui/PageHeading.tsx";
import { ErrorState, Loading } from "#kit/web/ui/states.tsx";
import { listReports, type Matter, showMatter } from "./contract.ts";
import { CloseDialog } from "./CloseDialog.tsx";
import { MatterInfoCard } from "./MatterInfoCard.tsx";
import { MatterReports } from "./MatterReports.tsx";
import { MatterStatus } from "./MatterStatus.tsx";
import css from "./matters.module.css";
import { ReferralHistory } from "./ReferralHistory.tsx";
import { ReferForm } from "./ReferForm.tsx";
import { LateMark } from "./ReportDue.tsx";

export function MatterScreen() {
  const { id = "" } = useParams();
  if (!/^[1-9]\d{0,14}$/.test(id)) return <NotFound />;
  return <MatterPage key={id} id={Number(id)} />;
}

function MatterPage({ id }: { id: number }) {
  const matter = useQuery({ ...endpointQuery(showMatter, { params: { id } }), ...expectsNotFound });
  if (matter.data) return <MatterRecord matter={matter.data} />;
  if (matter.error instanceof CallFailure && matter.error.status === 404) return <NotFound />;
  return (
    <>
      <PageHeading title="Referral" />
      {matter.error ? (
        <ErrorState
          title="The referral could not be loaded"
          error={matter.error}
          pending={matter.isFetching}
          onRetry={() => void matter.refetch()}
        />
      ) : (
        <Loading />
      )}
    </>
  );
}

/** A referral: its client, attorney, status reports and history. */
function MatterRecord({ matter }: { matter: Matter }) {
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
      <Section title="History">
        <History of={{ record_type: "matter", record_id: matter.id }} />
      </Section>
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
          <AttorneyPhone id={attorneyId} />
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
function AttorneyPhone({ id }: { id: number }) {
  const phone = useAttorney(id).data?.phone;
  return phone ? (
    <>
      , <PhoneLink phone={phone} />
    </>
  ) : null;
}
