import { PageHeading } from "#web/ui/PageHeading.tsx";

export function AttorneyScreen() {
  return <PageHeading title="Attorney" />;
}
