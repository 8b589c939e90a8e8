import { Section } from "#web/ui/layout.tsx";
import { PageHeading } from "#web/ui/PageHeading.tsx";
import { CardPaymentsSection } from "./CardPaymentsSection.tsx";

export function SettingsScreen() {
  return (
    <>
      <PageHeading title="Settings" />
      <Section title="Card payments">
        <CardPaymentsSection />
      </Section>
    </>
  );
}
