import type { ReactNode } from "react";
import { Link } from "react-router";
import { BillingRuns } from "#dues/ledger/BillingRuns.tsx";
import { ExportThese } from "#kit/list/ExportThese.tsx";
import { Section, SideBySide } from "#kit/web/ui/layout.tsx";
import { PageHeading } from "#kit/web/ui/PageHeading.tsx";
import { PlanForm } from "./PlanForm.tsx";
import { plans } from "./plans.list.ts";
import { PlanList } from "./PlanList.tsx";

/** The network's plans and billing runs, with the panel of `reports` between them. */
export function SubscriptionsPage({ reports }: { reports: ReactNode }) {
  return (
    <>
      <PageHeading title="Subscriptions" />
      <SideBySide>
        <Section title="Create a Subscription">
          <PlanForm />
        </Section>
        <Section
          title="Your Subscriptions"
          actions={<ExportThese reportType={plans.report.type} filters={{}} />}
        >
          <PlanList />
        </Section>
      </SideBySide>
      <Section
        title="Reports"
        actions={<Link to="/admin/reports">Prepared reports</Link>}
        onScreenOnly
      >
        {reports}
      </Section>
      <Section
        title="Billing runs"
        actions={<Link to="/admin/due-but-not-billed">Due but not billed</Link>}
      >
        <BillingRuns />
      </Section>
    </>
  );
}
