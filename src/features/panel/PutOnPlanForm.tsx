import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { z } from "zod";
import { billingWords } from "#features/subscriptions/billing-words.tsx";
import { enrolChosen, type Plan, previewEnrolChosen } from "#features/subscriptions/contract.ts";
import type { Done } from "#features/subscriptions/DoneNotice.tsx";
import { listPlans } from "#features/subscriptions/plans.list.ts";
import {
  billsImmediately,
  defaultTerms,
  termsOf,
  type TypedTerms,
} from "#features/subscriptions/enrolment-terms.tsx";
import { enrolledWords } from "#features/subscriptions/enrolled-words.tsx";
import { TermFields } from "#features/subscriptions/TermFields.tsx";
import { call, requestBody } from "#web/api.tsx";
import { endpointQuery } from "#web/queries.tsx";
import { useToday } from "#web/session.tsx";
import { SubmitButton } from "#web/ui/Button.tsx";
import { DialogActions } from "#web/ui/Dialog.tsx";
import { SelectField } from "#web/ui/ChoiceField.tsx";
import { Form } from "#web/ui/Form.tsx";
import { ActionPreview } from "#web/ui/states.tsx";
import { useForm } from "#web/ui/use-form.tsx";
import { attorneysWords, leftOutWords } from "#features/attorneys/attorney-words.tsx";
import type { ChosenAttorneys } from "#features/attorneys/shapes.ts";

export interface PutOnPlanFormProps {
  whom: ChosenAttorneys;
  count: number;
  onDone: (done: Done) => void;
}

interface Typed extends TypedTerms {
  lrs_subscription_id: string;
}

/** Says whom it puts on the plan and what that bills today, and does it. Source: domain rules §3. */
export function PutOnPlanForm({ whom, count, onDone }: PutOnPlanFormProps) {
  const today = useToday();
  const plans = useQuery(endpointQuery(listPlans));
  const form = useForm({
    start: { lrs_subscription_id: "", ...defaultTerms(today) },
    labels: { lrs_subscription_id: "Subscription" },
    send: async (typed) => {
      const made = await call(enrolChosen, { body: bodyOf(typed, whom, today) });
      return { ...made, plan: planOf(typed) };
    },
    onDone: ({ plan, ...made }) =>
      plan &&
      onDone(enrolledWords(plan, `${attorneysWords(made.subscribed)} subscribed now`, made)),
  });
  const planOf = ({ lrs_subscription_id }: Typed) =>
    plans.data?.find(({ id }) => String(id) === lrs_subscription_id);
  const plan = planOf(form.typed);
  const isReadable = plan !== undefined && form.typed.start_date !== null;
  const preview = useQuery({
    ...endpointQuery(previewEnrolChosen, {
      body: {
        ...whom,
        lrs_subscription_id: plan?.id ?? 1, // not asked for without one
        start_date: form.typed.start_date ?? today,
        bill_immediately: billsImmediately(form.typed, today),
        note: "",
      },
    }),
    placeholderData: keepPreviousData,
    enabled: isReadable,
    gcTime: 0,
  });
  const counts = preview.isPlaceholderData ? undefined : preview.data;
  return (
    <Form form={form} label="Put attorneys on a plan">
      <SelectField
        label="Subscription"
        options={[
          { value: "", label: "Choose one" },
          ...(plans.data ?? [])
            .filter(({ archived }) => !archived)
            .map(({ id, name, paymentSchedule }) => ({
              value: String(id),
              label: `${name}, ${paymentSchedule}`,
            })),
        ]}
        {...form.field("lrs_subscription_id")}
      />
      <TermFields form={form} />
      <ActionPreview>
        {plan === undefined
          ? `Choose what ${attorneysWords(count)} ${count === 1 ? "is" : "are"} put on.`
          : preview.error
            ? preview.error.message
            : counts && consequence(plan, form.typed, counts, today)}
      </ActionPreview>
      <DialogActions>
        <SubmitButton pending={form.pending}>
          {counts && plan && counts.toSubscribe > 0
            ? `Put ${attorneysWords(counts.toSubscribe)} on it`
            : "Put on the plan"}
        </SubmitButton>
      </DialogActions>
    </Form>
  );
}

function bodyOf(typed: Typed, whom: ChosenAttorneys, today: string) {
  const terms = requestBody(enrolChosen, {
    filters: {},
    lrs_subscription_id: Number(typed.lrs_subscription_id),
    ...termsOf(typed, today),
  });
  return { ...terms, filters: undefined, ...whom };
}

type Counts = z.output<typeof previewEnrolChosen.object>;

function consequence(plan: Plan, terms: TypedTerms, counts: Counts, today: string): string {
  const { toSubscribe, alreadySubscribed, left } = counts;
  const out = leftOutWords([
    [alreadySubscribed, "who is on it already", "who are on it already"],
    [left, "who has left", "who have left"],
  ]);
  if (toSubscribe === 0) return `Nobody would be added and nothing billed.${out}`;
  const billing = billingWords({ plan, terms, today, attorneys: toSubscribe });
  return `Put ${attorneysWords(toSubscribe)} on ${plan.name}${billing ? ` and ${billing}` : "."}${out}`;
}
