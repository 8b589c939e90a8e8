import { Link } from "react-router";
import { Row, Section } from "#web/ui/layout.tsx";
import { ButtonLink } from "#web/ui/Button.tsx";
import { StatusMark } from "#web/ui/StatusMark.tsx";
import type { Overview } from "./contract.ts";
import css from "./today.module.css";

/** What a new network sets up first, until it has an attorney and a subscription. */
export function FirstSteps({ begun }: { begun: Overview["begun"] }) {
  if (begun.attorneys && begun.plans) return null;
  return (
    <Section title="First steps">
      <ol className={css["steps"]}>
        <li>
          <p>Add the attorneys of your panel, or import them from a file.</p>
          {begun.attorneys ? (
            <StatusMark tone="good">Done</StatusMark>
          ) : (
            <Row>
              <ButtonLink kind="primary" to="/admin/attorneys/import">
                Import attorneys
              </ButtonLink>
              <Link to="/admin/attorneys">Add one</Link>
            </Row>
          )}
        </li>
        <li>
          <p>Define a subscription: what they pay, and how often.</p>
          {begun.plans ? (
            <StatusMark tone="good">Done</StatusMark>
          ) : (
            <Link to="/admin/subscriptions">Create a subscription</Link>
          )}
        </li>
        <li>
          <p>Take payments by card. Checks can be recorded without.</p>
          {begun.cards ? (
            <StatusMark tone="good">Done</StatusMark>
          ) : (
            <Link to="/admin/settings">Set up card payments</Link>
          )}
        </li>
      </ol>
    </Section>
  );
}
