import { Section } from "#web/ui/layout.tsx";
import { PageHeading } from "#web/ui/PageHeading.tsx";
import { ExportList } from "./ExportList.tsx";
import { ReportPanel } from "./ExportPanel.tsx";
import { Schedules } from "./Schedules.tsx";

/** Order reports, fetch them, and have some prepared by themselves. */
export function ReportsScreen() {
  return (
    <>
      <PageHeading title="Reports" />
      <ReportPanel />
      <Section title="Prepared reports">
        <ExportList />
      </Section>
      <Schedules />
    </>
  );
}
