import { Administrators } from "#features/auth/Administrators.tsx";
import { VacationSettingsCard } from "#features/attorneys/VacationSettingsCard.tsx";
import { MailTable } from "#features/mail/MailTable.tsx";
import { Section } from "#web/ui/layout.tsx";
import { PageHeading } from "#web/ui/PageHeading.tsx";
import { CardPaymentsSection } from "#features/cards/settings/CardPaymentsSection.tsx";
import { MoneyCard } from "#features/ledger/MoneyCard.tsx";
import { SuspensionCard } from "#features/suspension/SuspensionCard.tsx";

/** What a network's administrators decide once: its rules, its card processor, who administers it, its mail. */
export function SettingsScreen() {
  return (
    <>
      <PageHeading title="Settings" />
      <Section title="Automatically suspend lawyers with overdue reports">
        <SuspensionCard />
      </Section>
      <Section title="Vacations">
        <VacationSettingsCard />
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
        <MailTable />
      </Section>
    </>
  );
}
