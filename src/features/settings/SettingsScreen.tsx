import { Administrators } from "#features/auth/Administrators.tsx";
import { MailDelivery } from "#features/mail/MailDelivery.tsx";
import { Section } from "#web/ui/layout.tsx";
import { PageHeading } from "#web/ui/PageHeading.tsx";
import { CardPaymentsSection } from "#features/cards/settings/CardPaymentsSection.tsx";
import { MoneyCard } from "#features/ledger/MoneyCard.tsx";
import { SuspensionCard } from "#features/suspension/SuspensionCard.tsx";

/** What a network's administrators decide once: its rules, its card processor, who administers it. */
export function SettingsScreen() {
  return (
    <>
      <PageHeading title="Settings" />
      <Section title="Automatically suspend lawyers with overdue reports">
        <SuspensionCard />
      </Section>
      <Section title="Card payments">
        <CardPaymentsSection />
      </Section>
      <Section title="Money">
        <MoneyCard />
      </Section>
      <Section title="Administrators">
        <Administrators />
      </Section>
      <Section title="Mail">
        <MailDelivery />
      </Section>
    </>
  );
}
