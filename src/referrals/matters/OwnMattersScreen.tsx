import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useSearchParams } from "react-router";
import { endpointQuery } from "#kit/web/queries.tsx";
import { useToday } from "#kit/web/session.tsx";
import { Section } from "#kit/web/ui/layout.tsx";
import { PageHeading } from "#kit/web/ui/PageHeading.tsx";
import { EmptyState, ErrorState, Loading, Notice } from "#kit/web/ui/states.tsx";
import { listMyMatters, type Matter } from "./contract.ts";
import { showSuspensionStatus, type SuspensionStatus } from "#referrals/suspension/contract.ts";
import { FileReportDialog } from "./FileReportDialog.tsx";
import { OwnMatterDialog } from "./OwnMatterDialog.tsx";
import { OwnMattersTable } from "./OwnMattersTable.tsx";
import { SuspensionWarning } from "#referrals/suspension/SuspensionWarning.tsx";

/** An attorney's open referrals and due reports; overdue ones first. */
export function OwnMattersScreen() {
  const matters = useQuery(endpointQuery(listMyMatters));
  const suspension = useQuery(endpointQuery(showSuspensionStatus));
  const error = matters.error ?? suspension.error;
  return (
    <>
      <PageHeading title="Referrals" />
      {matters.data && suspension.data ? (
        <OwnMatters matters={matters.data} suspension={suspension.data} />
      ) : error ? (
        <ErrorState
          title="Your referrals could not be loaded"
          error={error}
          pending={matters.isFetching || suspension.isFetching}
          onRetry={() => void Promise.all([matters.refetch(), suspension.refetch()])}
        />
      ) : (
        <Loading />
      )}
    </>
  );
}

function OwnMatters({
  matters,
  suspension,
}: {
  matters: readonly Matter[];
  suspension: SuspensionStatus;
}) {
  const today = useToday();
  const [reporting, setReporting] = useState<Matter | null>(null);
  const [address, setAddress] = useSearchParams();
  const [done, setDone] = useState<string | null>(null);
  const reading = matters.find(({ id }) => String(id) === address.get("referral"));
  const overdue = matters.filter(({ reportDueOn }) => reportDueOn !== null && reportDueOn < today);
  const others = matters.filter((matter) => !overdue.includes(matter));
  const shared = {
    suspension,
    oldestDue: matters[0]?.reportDueOn ?? null,
    suspending: new Set(matters.slice(0, suspension.mustFile).map(({ id }) => id)),
    onRead: ({ id }: Matter) => setAddress({ referral: String(id) }),
    onReport: (matter: Matter) => {
      setDone(null);
      setReporting(matter);
    },
  };
  return (
    <>
      <SuspensionWarning suspension={suspension} />
      <Notice>{done}</Notice>
      {overdue.length > 0 && (
        <Section title="Overdue reports">
          <OwnMattersTable caption="Overdue reports" matters={overdue} {...shared} />
        </Section>
      )}
      {others.length > 0 && (
        <Section title={overdue.length > 0 ? "Other open referrals" : "Open referrals"}>
          <OwnMattersTable caption="Open referrals" matters={others} {...shared} />
        </Section>
      )}
      {matters.length === 0 && (
        <EmptyState title="You have no open referrals">New referrals appear here.</EmptyState>
      )}
      {reading && (
        <OwnMatterDialog matter={reading} onClose={() => setAddress({}, { replace: true })} />
      )}
      {reporting && (
        <FileReportDialog
          matter={reporting}
          wasSuspended={suspension.suspended}
          onClose={() => setReporting(null)}
          onDone={(words) => {
            setReporting(null);
            setDone(words);
          }}
        />
      )}
    </>
  );
}
