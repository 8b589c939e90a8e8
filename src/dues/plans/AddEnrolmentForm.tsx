import { useState } from "react";
import { formatDay } from "#kit/domain/day.ts";
import { requestBody, call } from "#kit/web/api.tsx";
import { useToday } from "#kit/web/session.tsx";
import { SubmitButton } from "#kit/web/ui/Button.tsx";
import { Form } from "#kit/web/ui/Form.tsx";
import { SearchSelect } from "#kit/web/ui/SearchSelect.tsx";
import { Notice, ActionPreview, Warning } from "#kit/web/ui/states.tsx";
import { useForm } from "#kit/web/ui/use-form.tsx";
import { describeBilling } from "./billing-preview.tsx";
import { enrolAttorney, type Instance, type Plan } from "./contract.ts";
import { defaultTerms, termsOf } from "./enrolment-terms.tsx";
import { TermFields } from "./TermFields.tsx";

interface AddEnrolmentFormProps {
  attorneyId: number;
  /** Plans that are not archived. */
  plans: readonly Plan[];
  enrolments: readonly Instance[];
}

/** Enrolls one attorney in a plan, after showing what will be billed. */
export function AddEnrolmentForm({ attorneyId, plans, enrolments }: AddEnrolmentFormProps) {
  const today = useToday();
  const [done, setDone] = useState<string | null>(null);
  const form = useForm({
    start: { lrs_subscription_id: null as string | null, ...defaultTerms(today) },
    labels: { lrs_subscription_id: "Subscription" },
    send: async (typed) => {
      setDone(null);
      const body = requestBody(enrolAttorney, {
        attorney_id: attorneyId,
        lrs_subscription_id: Number(typed.lrs_subscription_id),
        ...termsOf(typed, today),
      });
      return await call(enrolAttorney, { body });
    },
    onDone: (added) => {
      form.reset();
      setDone(`${added.name} was added.`);
    },
  });
  const chosen = plans.find((plan) => String(plan.id) === form.typed.lrs_subscription_id);
  const billing =
    chosen && describeBilling({ plan: chosen, terms: form.typed, today, attorneys: 1 });
  return (
    <>
      <Form form={form} label="Add a subscription">
        <SearchSelect
          label="Subscription"
          placeholder="Choose a subscription"
          hint={
            plans.length === 0
              ? "First create a subscription on the Subscriptions page."
              : undefined
          }
          options={plans.map(({ id, name, paymentSchedule }) => ({
            value: String(id),
            label: `${name} (${paymentSchedule})`,
          }))}
          pending={false}
          {...form.field("lrs_subscription_id")}
        />
        <TermFields form={form} />
        {chosen && <AlreadyIn enrolments={enrolments.filter(isOf(chosen))} />}
        {billing && <ActionPreview>{`This will ${billing}`}</ActionPreview>}
        <div>
          <SubmitButton pending={form.pending} disabled={!chosen}>
            Add subscription
          </SubmitButton>
        </div>
      </Form>
      <Notice>{done}</Notice>
    </>
  );
}

const isOf =
  ({ id }: Plan) =>
  ({ lrsSubscriptionId }: Instance) =>
    lrsSubscriptionId === id;

/** The same plan twice is allowed, for a second office for example, but is usually a mistake. Source: domain rules §3. */
function AlreadyIn({ enrolments }: { enrolments: readonly Instance[] }) {
  const [first] = enrolments;
  if (!first) return null;
  const since = enrolments
    .map(({ startDate, note }) => `${formatDay(startDate)}${note && ` (${note})`}`)
    .join(", ");
  return (
    <Warning title="Already subscribed">
      <p>{`This attorney already has ${first.name}, start date ${since}. If you add it again, both are billed.`}</p>
    </Warning>
  );
}
