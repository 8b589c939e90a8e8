import { useQuery } from "@tanstack/react-query";
import { requestBody, call } from "#kit/web/api.tsx";
import { endpointQuery } from "#kit/web/queries.tsx";
import { useToday } from "#kit/web/session.tsx";
import { SubmitButton } from "#kit/web/ui/Button.tsx";
import { Dialog } from "#kit/web/ui/Dialog.tsx";
import { Form } from "#kit/web/ui/Form.tsx";
import { ActionPreview, WhenLoaded } from "#kit/web/ui/states.tsx";
import { useForm } from "#kit/web/ui/use-form.tsx";
import { billingWords } from "./billing-words.tsx";
import { type Plan, previewSubscribeAll, subscribeAll } from "./contract.ts";
import type { Done } from "./DoneNotice.tsx";
import { enrolledWords } from "./enrolled-words.tsx";
import { defaultTerms, termsOf, type TypedTerms } from "./enrolment-terms.tsx";
import { TermFields } from "./TermFields.tsx";

interface SubscribeAllProps {
  plan: Plan;
  /** Called with a sentence that says how many were subscribed, and what undoes it. */
  onDone: (done: Done) => void;
}

/** Enrols everybody, after saying in numbers whom, and what it will bill. */
export function SubscribeAllDialog(props: SubscribeAllProps & { onClose: () => void }) {
  const { plan, onClose } = props;
  // Counted anew each time: the number is what the administrator agrees to.
  const counting = useQuery({
    ...endpointQuery(previewSubscribeAll, { params: { id: plan.id } }),
    gcTime: 0,
  });
  return (
    <Dialog title={`Subscribe all lawyers to ${plan.name}`} onClose={onClose}>
      <WhenLoaded query={counting} title="The lawyers could not be counted">
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
      const whom = `${lawyers(made.subscribed)} subscribed now, ${lawyers(made.alreadySubscribed)} subscribed already`;
      onDone(enrolledWords(plan, whom, made));
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
    return `${areSubscribed(alreadySubscribed)}: nobody will be added and nothing billed.`;
  const billing = billingWords({ plan, terms, today, attorneys: toSubscribe });
  const sentence = `Subscribe ${lawyers(toSubscribe)}${billing ? ` and ${billing}` : "."}`;
  return alreadySubscribed === 0
    ? sentence
    : `${sentence} ${areSubscribed(alreadySubscribed)}: nothing changes for them.`;
}

function areSubscribed(count: number): string {
  return `${lawyers(count)} ${count === 1 ? "is" : "are"} subscribed already`;
}

function lawyers(count: number): string {
  return `${count.toLocaleString("en-US")} ${count === 1 ? "lawyer" : "lawyers"}`;
}
