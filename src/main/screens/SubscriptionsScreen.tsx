import { SubscriptionsPage } from "#dues/plans/SubscriptionsPage.tsx";
import { ExportPanel } from "#office/reports/ExportPanel.tsx";

export function SubscriptionsScreen() {
  return <SubscriptionsPage reports={<ExportPanel />} />;
}
