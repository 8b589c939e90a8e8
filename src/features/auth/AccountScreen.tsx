import { PageHeading } from "#web/ui/PageHeading.tsx";

export function AccountScreen() {
  return <PageHeading title="Account" />;
}
