import { PageHeading } from "#web/ui/PageHeading.tsx";

export function DashboardScreen() {
  return <PageHeading title="Dashboard" />;
}
