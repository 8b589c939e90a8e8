import type { ReactNode } from "react";
import type { AttorneySections } from "./attorney-sections.tsx";
import { AttorneyStatus } from "#people/AttorneyStatus.tsx";
import { type Attorney, showAttorney } from "#people/contract.ts";
import { endpointQuery } from "#kit/web/queries.tsx";
import { RecordScreen } from "#kit/web/RecordScreen.tsx";
import { ButtonLink } from "#kit/web/ui/Button.tsx";
import { Row, Section } from "#kit/web/ui/layout.tsx";
import { PageHeading } from "#kit/web/ui/PageHeading.tsx";
import { type Tab, Tabs } from "#kit/web/ui/Tabs.tsx";
import css from "./attorney-record.module.css";
import { AttorneyStrip } from "./AttorneyStrip.tsx";
import { DetailsTab } from "./DetailsTab.tsx";
import { MoneyTab } from "./MoneyTab.tsx";
import { ReferralsTab } from "#referrals/matters/ReferralsTab.tsx";
import { SuspensionCause } from "./SuspensionCause.tsx";

export function AttorneyPage({ sections }: { sections: AttorneySections }) {
  return (
    <RecordScreen name="attorney" query={(id) => endpointQuery(showAttorney, { params: { id } })}>
      {(attorney) => <AttorneyRecord attorney={attorney} sections={sections} />}
    </RecordScreen>
  );
}

/** An attorney's status, with tabs for money, referrals, details and history. */
function AttorneyRecord({
  attorney,
  sections,
}: {
  attorney: Attorney;
  sections: AttorneySections;
}) {
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
          {
            ...tab("money", "Money", <MoneyTab attorney={attorney} sections={sections} />),
            staysMounted: true,
          },
          tab("referrals", "Referrals", <ReferralsTab attorneyId={attorney.id} />),
          tab("details", "Details", <DetailsTab attorney={attorney} />),
          tab(
            "history",
            "History",
            <Section title="History">{sections.history(attorney)}</Section>,
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

/** Links to record a referral or a check. Attorneys on vacation, suspended or departed get no referrals. */
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
