import { Link } from "react-router";
import { ApiTokens } from "#access/tokens/ApiTokens.tsx";
import { WebhooksSection } from "#outgoing/webhooks/WebhooksSection.tsx";
import { Section } from "#kit/web/ui/layout.tsx";

/** What other programs get from this one, and give to it. */
export function Integrations() {
  return (
    <>
      <ApiTokens />
      <WebhooksSection />
      <Section title="Without a program">
        <p>
          For accounting, the report Journal has each charge, payment and deposit as a double entry:{" "}
          <Link to="/admin/reports">make a report</Link>. It uses{" "}
          <Link to="/admin/settings/network">your names of the accounts</Link>. Every list can be
          had as a file under <Link to="/admin/reports">Reports</Link>, also by itself every week or
          month.
        </p>
        <p>
          Files of other programs, saved as CSV, can be imported:{" "}
          <Link to="/admin/attorneys/import">attorneys</Link> and{" "}
          <Link to="/admin/matters/import">referrals</Link>.
        </p>
        <p>
          Choose the processor of your cards, and enter its keys, under{" "}
          <Link to="/admin/settings/card-payments">Card payments</Link>.
        </p>
      </Section>
    </>
  );
}
