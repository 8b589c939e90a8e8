import type { ReactNode } from "react";
import { NavLink, useParams } from "react-router";
import { Administrators } from "#access/sign-in/Administrators.tsx";
import { SecondFactorRequirementCard } from "#access/sign-in/SecondFactorRequirementCard.tsx";
import { VacationSettingsCard } from "#panel/VacationSettingsCard.tsx";
import { CardPaymentsSection } from "#cards/settings/CardPaymentsSection.tsx";
import { MoneyCard } from "#dues/ledger/MoneyCard.tsx";
import { MailDelivery } from "#outgoing/mail/MailDelivery.tsx";
import { BrandCard } from "#access/networks/BrandCard.tsx";
import { StatementMailCard } from "#dues/ledger/statements/StatementMailCard.tsx";
import { SuspensionCard } from "#referrals/suspension/SuspensionCard.tsx";
import { NotFound } from "#kit/web/NotFound.tsx";
import { Section } from "#kit/web/ui/layout.tsx";
import { PageHeading } from "#kit/web/ui/PageHeading.tsx";
import { Integrations } from "./Integrations.tsx";
import css from "./settings.module.css";

interface SettingsPage {
  /** The end of the address; "" for the first page. */
  path: string;
  label: string;
  title: string;
  content: ReactNode;
}

const suspension = (
  <Section title="Automatically suspend lawyers with overdue reports">
    <SuspensionCard />
  </Section>
);
const cardPayments = (
  <Section title="Card payments">
    <CardPaymentsSection />
  </Section>
);

/** The settings pages. The two cards of the specification are also on the first page. */
const pages: SettingsPage[] = [
  {
    path: "",
    label: "Overview",
    title: "Settings",
    content: (
      <>
        {suspension}
        {cardPayments}
      </>
    ),
  },
  {
    path: "network",
    label: "Network",
    title: "Network settings",
    content: (
      <>
        <Section title="Name, address and logo">
          <BrandCard />
        </Section>
        <Section title="Money">
          <MoneyCard />
        </Section>
      </>
    ),
  },
  {
    path: "suspension",
    label: "Suspension",
    title: "Suspension settings",
    content: (
      <>
        {suspension}
        <Section title="Vacations">
          <VacationSettingsCard />
        </Section>
      </>
    ),
  },
  {
    path: "card-payments",
    label: "Card payments",
    title: "Card payment settings",
    content: cardPayments,
  },
  {
    path: "mail",
    label: "Email",
    title: "Email settings",
    content: (
      <>
        <Section title="Monthly statements">
          <StatementMailCard />
        </Section>
        <Section title="Email">
          <MailDelivery />
        </Section>
      </>
    ),
  },
  {
    path: "people",
    label: "People",
    title: "People",
    content: (
      <>
        <Section title="Administrators">
          <Administrators />
        </Section>
        <Section title="Second factor">
          <SecondFactorRequirementCard />
        </Section>
      </>
    ),
  },
  {
    path: "integrations",
    label: "Integrations",
    title: "Integrations",
    content: <Integrations />,
  },
];

export function SettingsScreen() {
  const { page = "" } = useParams();
  const shown = pages.find(({ path }) => path === page);
  if (!shown) return <NotFound />;
  return (
    <>
      <PageHeading key={shown.path} title={shown.title} />
      <nav aria-label="Settings" className={css["pages"]}>
        {pages.map(({ path, label }) => (
          <NavLink key={path} end to={path === "" ? "/admin/settings" : `/admin/settings/${path}`}>
            {label}
          </NavLink>
        ))}
      </nav>
      {shown.content}
    </>
  );
}
