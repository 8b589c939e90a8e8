import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "react-router";
import { endpointQuery } from "#kit/web/queries.tsx";
import { PageHeading } from "#kit/web/ui/PageHeading.tsx";
import { WhenLoaded } from "#kit/web/ui/states.tsx";
import { Tabs } from "#kit/web/ui/Tabs.tsx";
import { useUnsavedChanges } from "#kit/web/unsaved-changes.tsx";
import type { Attorney } from "#people/contract.ts";
import { showSuspensionStatus } from "#referrals/suspension/contract.ts";
import { hasNoConsequence, SuspensionWarning } from "#referrals/suspension/SuspensionWarning.tsx";
import { OverdueReports } from "./OverdueReports.tsx";
import { OwedSummary } from "./OwedSummary.tsx";
import { OwedTab } from "./OwedTab.tsx";
import { OwnCredit } from "./OwnCredit.tsx";
import { OwnVacation } from "./OwnVacation.tsx";
import { useOwnRecord } from "#payments/own-record.tsx";
import { PaidTab } from "./PaidTab.tsx";
import { noAmounts, type PaymentAmounts, amountsStillValid } from "#dues/ledger/typed-amounts.tsx";
import { SubscriptionsTab } from "./SubscriptionsTab.tsx";

/** An attorney's subscriptions, what they owe and what they have paid. Source: spec §2. */
export function DashboardScreen() {
  const record = useOwnRecord();
  const suspension = useQuery(endpointQuery(showSuspensionStatus)).data;
  const overdue = suspension && hasNoConsequence(suspension) ? suspension.overdue : 0;
  return (
    <>
      <PageHeading title="Dashboard" />
      {record.data && (
        <OwedSummary attorney={record.data}>
          {overdue > 0 && <OverdueReports count={overdue} />}
        </OwedSummary>
      )}
      {suspension && <SuspensionWarning suspension={suspension} linked onlyConsequences />}
      <WhenLoaded query={record} title="Your dashboard could not be loaded">
        {(attorney) => (
          <>
            <DashboardTabs attorney={attorney} />
            <OwnCredit attorney={attorney} />
            {suspension?.maySetVacation && <OwnVacation attorney={attorney} />}
            <p className="actions">
              <Link to={`/statements/${attorney.id}`}>Your statements</Link>
            </p>
          </>
        )}
      </WhenLoaded>
    </>
  );
}

/**
 * Typed amounts are kept when the tab changes or other debits change. An amount is cleared when new data
 * changes what can be paid on its debit. Source: spec §3.
 */
function DashboardTabs({ attorney }: { attorney: Attorney }) {
  const [typed, setTyped] = useState<{ for: Attorney; amounts: PaymentAmounts }>();
  const amounts = typed ? amountsStillValid(typed.amounts, typed.for, attorney) : noAmounts;
  useUnsavedChanges(Object.values(amounts).some((amount) => !/^[\s$0.,]*$/.test(amount)));
  return (
    <Tabs
      label="Your dues"
      name="view"
      start="debits"
      tabs={[
        {
          value: "subscriptions",
          label: "Your subscriptions",
          content: <SubscriptionsTab instances={attorney.subscriptionInstances} />,
        },
        {
          value: "debits",
          label: "Owed",
          content: (
            <OwedTab
              debits={attorney.debits}
              credit={attorney.credit}
              amounts={amounts}
              onAmounts={(entered) => setTyped({ for: attorney, amounts: entered })}
            />
          ),
        },
        {
          value: "payments",
          label: "Paid",
          content: <PaidTab attorney={attorney} />,
        },
      ]}
    />
  );
}
