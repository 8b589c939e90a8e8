import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { z } from "zod";
import { describeBilling } from "#dues/plans/billing-preview.tsx";
import { enrolChosen, type Plan, previewEnrolChosen } from "#dues/plans/contract.ts";
import type { Done } from "#dues/plans/DoneNotice.tsx";
import { listPlans } from "#dues/plans/plans.list.ts";
import {
  billsImmediately,
  defaultTerms,
  termsOf,
  type TypedTerms,
} from "#dues/plans/enrolment-terms.tsx";
import { enrolledMessage } from "#dues/plans/enrolled-message.tsx";
import { TermFields } from "#dues/plans/TermFields.tsx";
import { call, requestBody } from "#kit/web/api.tsx";
import { endpointQuery } from "#kit/web/queries.tsx";
import { useToday } from "#kit/web/session.tsx";
import { SubmitButton } from "#kit/web/ui/Button.tsx";
import { DialogActions } from "#kit/web/ui/Dialog.tsx";
import { SelectField } from "#kit/web/ui/ChoiceField.tsx";
import { Form } from "#kit/web/ui/Form.tsx";
import { ActionPreview } from "#kit/web/ui/states.tsx";
import { useForm } from "#kit/web/ui/use-form.tsx";
import { attorneysWords, leftOutWords } from "#people/attorney-words.tsx";
import type { ChosenAttorneys } from "#panel/shapes.ts";

export interface SubscribeChosenFormProps {
  whom: ChosenAttorneys;
  count: number;
  onDone: (done: Done) => void;
}

interface Typed extends TypedTerms {
  lrs_subscription_id: string;
}

/** Shows who is subscribed and what is billed today, then subscribes them. Source: domain rules §3. */
export function SubscribeChosenForm({ whom, count, onDone }: SubscribeChosenFormProps) {
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
      plan && onDone(enrolledMessage(plan, `${attorneysWords(made.subscribed)} subscribed`, made)),
  });
  const planOf = ({ lrs_subscription_id }: Typed) =>
    plans.data?.find(({ id }) => String(id) === lrs_subscription_id);
  const plan = planOf(form.typed);
  const isReadable = plan !== undefined && form.typed.start_date !== null;
  const preview = useQuery({
    ...endpointQuery(previewEnrolChosen, {
      body: {
        ...whom,
        lrs_subscription_id: plan?.id ?? 1, // never sent without a plan
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
    <Form form={form} label="Subscribe attorneys">
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
          ? `Choose a subscription for ${attorneysWords(count)}.`
          : preview.error
            ? preview.error.message
            : counts && consequence(plan, form.typed, counts, today)}
      </ActionPreview>
      <DialogActions>
        <SubmitButton pending={form.pending}>
          {counts && plan && counts.toSubscribe > 0
            ? `Subscribe ${attorneysWords(counts.toSubscribe)}`
            : "Subscribe attorneys"}
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
    [alreadySubscribed, "who is already subscribed", "who are already subscribed"],
    [left, "who has left", "who have left"],
  ]);
  if (toSubscribe === 0) return `No attorneys will be subscribed and nothing billed.${out}`;
  const billing = describeBilling({ plan, terms, today, attorneys: toSubscribe });
  return `Subscribe ${attorneysWords(toSubscribe)} to ${plan.name}${billing ? ` and ${billing}` : "."}${out}`;
}
