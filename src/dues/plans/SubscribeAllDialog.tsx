import { useQuery } from "@tanstack/react-query";
import { requestBody, call } from "#kit/web/api.tsx";
import { endpointQuery } from "#kit/web/queries.tsx";
import { useToday } from "#kit/web/session.tsx";
import { SubmitButton } from "#kit/web/ui/Button.tsx";
import { Dialog } from "#kit/web/ui/Dialog.tsx";
import { Form } from "#kit/web/ui/Form.tsx";
import { ActionPreview, WhenLoaded } from "#kit/web/ui/states.tsx";
import { useForm } from "#kit/web/ui/use-form.tsx";
import { describeBilling } from "./billing-preview.tsx";
import { type Plan, previewSubscribeAll, subscribeAll } from "./contract.ts";
import type { Done } from "./DoneNotice.tsx";
import { enrolledMessage } from "./enrolled-message.tsx";
import { defaultTerms, termsOf, type TypedTerms } from "./enrolment-terms.tsx";
import { TermFields } from "./TermFields.tsx";

interface SubscribeAllProps {
  plan: Plan;
  /** Called with a sentence for the screen, and the batch to undo. */
  onDone: (done: Done) => void;
}

/** Enrolls every attorney, after showing how many and what will be billed. */
export function SubscribeAllDialog(props: SubscribeAllProps & { onClose: () => void }) {
  const { plan, onClose } = props;
  // Never cached: the administrator agrees to this number.
  const counting = useQuery({
    ...endpointQuery(previewSubscribeAll, { params: { id: plan.id } }),
    gcTime: 0,
  });
  return (
    <Dialog title={`Subscribe all lawyers to ${plan.name}`} onClose={onClose}>
      <WhenLoaded query={counting} title="The attorneys could not be counted">
        {(counts) => <SubscribeAllForm {...props} counts={counts} />}
      </WhenLoaded>
    </Dialog>
  );
}

interface Counts {
  toSubscribe: number;
  alreadySubscribed: number;
}

function SubscribeAllForm({ plan, onDone, counts }: SubscribeAllProps & { counts: Counts }) {
  const today = useToday();
  const form = useForm({
    start: defaultTerms(today),
    send: async (typed) => {
      const body = requestBody(subscribeAll, {
        lrs_subscription_id: plan.id,
        ...termsOf(typed, today),
      });
      return await call(subscribeAll, { body });
    },
    onDone: (made) => {
      const whom = `${attorneys(made.subscribed)} subscribed now, ${attorneys(made.alreadySubscribed)} already subscribed`;
      onDone(enrolledMessage(plan, whom, made));
    },
  });
  return (
    <Form form={form} label={`Subscribe all lawyers to ${plan.name}`}>
      <TermFields form={form} />
      <ActionPreview>{consequence(plan, form.typed, counts, today)}</ActionPreview>
      <div>
        <SubmitButton pending={form.pending}>Submit</SubmitButton>
      </div>
    </Form>
  );
}

function consequence(plan: Plan, terms: TypedTerms, counts: Counts, today: string): string {
  const { toSubscribe, alreadySubscribed } = counts;
  if (toSubscribe === 0)
    return `${areSubscribed(alreadySubscribed)}. No one will be added, and nothing will be billed.`;
  const billing = describeBilling({ plan, terms, today, attorneys: toSubscribe });
  const sentence = `Subscribe ${attorneys(toSubscribe)}${billing ? ` and ${billing}` : "."}`;
  return alreadySubscribed === 0
    ? sentence
    : `${sentence} ${areSubscribed(alreadySubscribed)} and will not change.`;
}

function areSubscribed(count: number): string {
  return `${attorneys(count)} ${count === 1 ? "is" : "are"} already subscribed`;
}

function attorneys(count: number): string {
  return `${count.toLocaleString("en-US")} ${count === 1 ? "attorney" : "attorneys"}`;
}
