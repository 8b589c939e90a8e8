import { PageHeading } from "#web/ui/PageHeading.tsx";

export function SubscriptionsScreen() {
  return <PageHeading title="Subscriptions" />;
}
