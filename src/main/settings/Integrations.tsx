import { Link } from "react-router";
import { ApiTokens } from "#access/tokens/ApiTokens.tsx";
import { WebhooksSection } from "#outgoing/webhooks/WebhooksSection.tsx";
import { Section } from "#kit/web/ui/layout.tsx";

/** Connections with other programs: API tokens, webhooks and files. */
export function Integrations() {
  return (
    <>
      <ApiTokens />
      <WebhooksSection />
      <Section title="Without a program">
        <p>
          For accounting, the Journal report has each charge, payment and deposit as a double entry:{" "}
          <Link to="/admin/reports">create a report</Link>. It uses{" "}
          <Link to="/admin/settings/network">your account names</Link>. Every list can be downloaded
          under <Link to="/admin/reports">Reports</Link>, or prepared every week or month.
        </p>
        <p>
          You can import CSV files from other programs:{" "}
          <Link to="/admin/attorneys/import">attorneys</Link> and{" "}
          <Link to="/admin/matters/import">referrals</Link>.
        </p>
        <p>
          Choose your card processor and enter its keys under{" "}
          <Link to="/admin/settings/card-payments">Card payments</Link>.
        </p>
      </Section>
    </>
  );
}
