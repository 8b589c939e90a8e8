import { useMutation } from "@tanstack/react-query";
import { Link } from "react-router";
import { call } from "#kit/web/api.tsx";
import { Button, ButtonLink } from "#kit/web/ui/Button.tsx";
import { Row, Section } from "#kit/web/ui/layout.tsx";
import { StatusMark } from "#kit/web/ui/StatusMark.tsx";
import { ErrorState } from "#kit/web/ui/states.tsx";
import { type Overview, putFirstStepsAway } from "./contract.ts";
import css from "./today.module.css";

type Step = Exclude<keyof Overview["begun"], "isPutAway">;

const steps: { step: Step; words: string; to?: string; label?: string }[] = [
  { step: "attorneys", words: "Add the attorneys of your panel, or import them from a file." },
  {
    step: "plans",
    words: "Define a subscription: what they pay, and how often.",
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
      "Have receipts, reminders and invitations mailed. Whoever runs this server sets up mail.",
    to: "/admin/settings/mail",
    label: "How mail is sent",
  },
  {
    step: "cards",
    words: "Take payments by card. Checks can be recorded without.",
    to: "/admin/settings/card-payments",
    label: "Set up card payments",
  },
];

/** What a new network sets up first, until each step is done or the rest is put away. */
export function FirstSteps({ begun }: { begun: Overview["begun"] }) {
  const puttingAway = useMutation({
    mutationFn: () => call(putFirstStepsAway),
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
            Put these steps away
          </Button>
        </div>
      )}
      {puttingAway.error && (
        <ErrorState
          title="The steps could not be put away"
          error={puttingAway.error}
          pending={puttingAway.isPending}
          onRetry={() => puttingAway.mutate()}
        />
      )}
    </Section>
  );
}
