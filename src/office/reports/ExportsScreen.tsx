import { Section } from "#kit/web/ui/layout.tsx";
import { PageHeading } from "#kit/web/ui/PageHeading.tsx";
import { ExportList } from "./ExportList.tsx";
import { ExportPanel } from "./ExportPanel.tsx";
import { Schedules } from "./Schedules.tsx";

/** Request exports, download them, and schedule recurring ones. */
export function ExportsScreen() {
  return (
    <>
      <PageHeading title="Reports" />
      <ExportPanel />
      <Section title="Prepared reports">
        <ExportList />
      </Section>
      <Schedules />
    </>
  );
}
