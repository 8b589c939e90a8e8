import { PageHeading } from "#web/ui/PageHeading.tsx";

export function AttorneysScreen() {
  return <PageHeading title="Attorneys" />;
}
