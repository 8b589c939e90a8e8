import { useQuery } from "@tanstack/react-query";
import { today as todayIn } from "#domain/calendar.ts";
import { formatMoney } from "#domain/money.ts";
import { requestBody, call } from "#web/api.tsx";
import { endpointQuery } from "#web/queries.tsx";
import { useSession } from "#web/session.tsx";
import { SubmitButton } from "#web/ui/Button.tsx";
import { Dialog } from "#web/ui/Dialog.tsx";
import { Form } from "#web/ui/Form.tsx";
import { ErrorState, Loading, ActionPreview } from "#web/ui/states.tsx";
import { useForm } from "#web/ui/use-form.tsx";
import { billingWords } from "./billing-words.tsx";
import { type Plan, previewSubscribeAll, subscribeAll } from "./contract.ts";
import type { Done } from "./DoneNotice.tsx";
import { billsImmediately, defaultTerms, type TypedTerms } from "./enrolment-terms.tsx";
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
      {counting.data ? (
        <SubscribeAllForm {...props} counts={counting.data} />
      ) : counting.error ? (
        <ErrorState
          title="The lawyers could not be counted"
          error={counting.error}
          pending={counting.isFetching}
          onRetry={() => void counting.refetch()}
        />
      ) : (
        <Loading />
      )}
    </Dialog>
  );
}

interface Counts {
  toSubscribe: number;
  alreadySubscribed: number;
}

function SubscribeAllForm({ plan, onDone, counts }: SubscribeAllProps & { counts: Counts }) {
  const today = todayIn(useSession().timeZone).toString();
  const form = useForm({
    start: defaultTerms(today),
    send: async (typed) => {
      const body = requestBody(subscribeAll, {
        lrs_subscription_id: plan.id,
        start_date: typed.start_date ?? "",
        bill_immediately: billsImmediately(typed, today),
        note: typed.note,
      });
      const made = await call(subscribeAll, { body });
      return made;
    },
    onDone: (made) =>
      onDone({
        words: resultWords(plan, made),
        ...(made.subscribed > 0 && { batch: { id: made.batchId, planName: plan.name } }),
      }),
  });
  return (
    <Form form={form} label={`Subscribe all lawyers to ${plan.name}`}>
      <TermFields
        typed={form.typed}
        fields={{
          start_date: form.field("start_date"),
          bill_immediately: form.field("bill_immediately"),
          note: form.field("note"),
        }}
        today={today}
      />
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

function resultWords(
  plan: Plan,
  made: { subscribed: number; alreadySubscribed: number; debitsCreated: number },
): string {
  const debits = made.debitsCreated.toLocaleString("en-US");
  const billed =
    made.debitsCreated > 0 ? ` ${debits} debits of ${formatMoney(plan.amount)} were created.` : "";
  return `${plan.name}: ${lawyers(made.subscribed)} subscribed now, ${lawyers(made.alreadySubscribed)} subscribed already.${billed}`;
}

function areSubscribed(count: number): string {
  return `${lawyers(count)} ${count === 1 ? "is" : "are"} subscribed already`;
}

function lawyers(count: number): string {
  return `${count.toLocaleString("en-US")} ${count === 1 ? "lawyer" : "lawyers"}`;
}
