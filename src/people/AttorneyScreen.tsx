import type { ReactNode } from "react";
import { useParams } from "react-router";
import { History } from "#office/activity/History.tsx";
import { AttorneyStatus } from "#people/AttorneyStatus.tsx";
import type { Attorney } from "#people/contract.ts";
import { useAttorney } from "#people/use-attorney.tsx";
import { CallFailure } from "#kit/web/call-failure.tsx";
import { NotFound } from "#kit/web/NotFound.tsx";
import { ButtonLink } from "#kit/web/ui/Button.tsx";
import { Row, Section } from "#kit/web/ui/layout.tsx";
import { PageHeading } from "#kit/web/ui/PageHeading.tsx";
import { ErrorState, Loading } from "#kit/web/ui/states.tsx";
import { type Tab, Tabs } from "#kit/web/ui/Tabs.tsx";
import css from "./attorney-record.module.css";
import { AttorneyStrip } from "./AttorneyStrip.tsx";
import { DetailsTab } from "./DetailsTab.tsx";
import { MoneyTab } from "./MoneyTab.tsx";
import { ReferralsTab } from "#referrals/matters/ReferralsTab.tsx";
import { SuspensionCause } from "./SuspensionCause.tsx";

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

/** How an attorney stands, and what administrators do for one: dues, referrals, contact details. */
function AttorneyRecord({ attorney }: { attorney: Attorney }) {
  return (
    <>
      <PageHeading
        title={attorney.name}
        about={<AttorneyStatus attorney={attorney} />}
        actions={<HeadingLinks attorney={attorney} />}
      />
      <AttorneyStrip attorney={attorney} />
      <SuspensionCause attorney={attorney} />
      <Tabs
        label={attorney.name}
        name="view"
        start="money"
        tabs={[
          { ...tab("money", "Money", <MoneyTab attorney={attorney} />), staysMounted: true },
          tab("referrals", "Referrals", <ReferralsTab attorneyId={attorney.id} />),
          tab("details", "Details", <DetailsTab attorney={attorney} />),
          tab(
            "history",
            "History",
            <Section title="History">
              <History of={{ attorney_id: attorney.id }} />
            </Section>,
          ),
        ]}
      />
    </>
  );
}

/** A tab that holds sections. */
function tab(value: string, label: string, sections: ReactNode): Tab {
  return { value, label, content: <div className={css["tab"]}>{sections}</div> };
}

/** What is recorded for an attorney. On vacation, suspended or departed, they get no referrals. */
function HeadingLinks({ attorney: { id, paused, suspended, leftOn } }: { attorney: Attorney }) {
  return (
    <Row>
      {!paused && !suspended && leftOn === null && (
        <ButtonLink to={`/admin/matters/new?attorney=${id}`}>Record a referral</ButtonLink>
      )}
      <ButtonLink to={`/admin/checks/new?attorney_id=${id}`}>Record a check</ButtonLink>
      <ButtonLink to={`/statements/${id}`}>Statement</ButtonLink>
    </Row>
  );
}
