import { useMutation } from "@tanstack/react-query";
import { Link } from "react-router";
import { call } from "#kit/web/api.tsx";
import { Button, ButtonLink } from "#kit/web/ui/Button.tsx";
import { Row, Section } from "#kit/web/ui/layout.tsx";
import { StatusMark } from "#kit/web/ui/StatusMark.tsx";
import { ErrorState } from "#kit/web/ui/states.tsx";
import { type Overview, hideFirstSteps } from "./contract.ts";
import css from "./today.module.css";

type Step = Exclude<keyof Overview["begun"], "isPutAway">;

const steps: { step: Step; words: string; to?: string; label?: string }[] = [
  { step: "attorneys", words: "Add the attorneys of your panel, or import them from a file." },
  {
    step: "plans",
    words: "Create a subscription: what attorneys pay, and how often.",
    to: "/admin/subscriptions",
    label: "Create a subscription",
  },
  {
    step: "letterhead",
    words: "Put your address on receipts and statements.",
    to: "/admin/settings/network",
    label: "Enter your address",
  },
  {
    step: "mail",
    words:
      "Email receipts, reminders and invitations. Ask your system administrator to set up email.",
    to: "/admin/settings/mail",
    label: "How email is sent",
  },
  {
    step: "cards",
    words: "Take card payments. Checks need no setup.",
    to: "/admin/settings/card-payments",
    label: "Set up card payments",
  },
];

/** The setup steps of a new network, until they are done or hidden. */
export function FirstSteps({ begun }: { begun: Overview["begun"] }) {
  const puttingAway = useMutation({
    mutationFn: () => call(hideFirstSteps),
  });
  if (begun.isPutAway || steps.every(({ step }) => begun[step])) return null;
  return (
    <Section title="First steps">
      <ol className={css["steps"]}>
        {steps.map(({ step, words, to, label }) => (
          <li key={step}>
            <p>{words}</p>
            {begun[step] && <StatusMark tone="good">Done</StatusMark>}
            {!begun[step] && to && <Link to={to}>{label}</Link>}
            {!begun[step] && step === "attorneys" && (
              <Row>
                <ButtonLink kind="primary" to="/admin/attorneys/import">
                  Import attorneys
                </ButtonLink>
                <Link to="/admin/attorneys">Add one</Link>
              </Row>
            )}
          </li>
        ))}
      </ol>
      {begun.attorneys && begun.plans && (
        <div>
          <Button
            small
            kind="quiet"
            pending={puttingAway.isPending}
            onClick={() => puttingAway.mutate()}
          >
            Hide these steps
          </Button>
        </div>
      )}
      {puttingAway.error && (
        <ErrorState
          title="The steps could not be hidden"
          error={puttingAway.error}
          pending={puttingAway.isPending}
          onRetry={() => puttingAway.mutate()}
        />
      )}
    </Section>
  );
}
