import { formatDay } from "#kit/domain/day.ts";
import { cleanAmount } from "#kit/domain/money.ts";
import { requestBody, call } from "#kit/web/api.tsx";
import { CallFailure } from "#kit/web/call-failure.tsx";
import { endpointQuery, queryClient } from "#kit/web/queries.tsx";
import { AmountField } from "#kit/web/ui/AmountField.tsx";
import { SubmitButton } from "#kit/web/ui/Button.tsx";
import { RadioField } from "#kit/web/ui/ChoiceField.tsx";
import { Dialog } from "#kit/web/ui/Dialog.tsx";
import { Form } from "#kit/web/ui/Form.tsx";
import { TextArea } from "#kit/web/ui/TextField.tsx";
import { useForm } from "#kit/web/ui/use-form.tsx";
import { closingOutcomes, fileReport, type Matter, type Outcome, outcomes } from "./contract.ts";
import { showStanding, type Standing } from "#referrals/suspension/contract.ts";
import { outcomeWords } from "./outcome-words.tsx";

const outcomeOptions = outcomes.map((outcome) => ({
  value: outcome,
  label: outcomeWords[outcome],
  ...(closingOutcomes.has(outcome) && { hint: "(no more reports)" }),
}));

const nothing: { outcome: Outcome | ""; fee: string; note: string } = {
  outcome: "",
  fee: "",
  note: "",
};

interface FileReportDialogProps {
  matter: Matter;
  wasSuspended: boolean;
  onClose: () => void;
  /** Called with a sentence that says what comes next. */
  onDone: (words: string) => void;
}

/** What has become of a referral, in three answers at most. */
export function FileReportDialog(props: FileReportDialogProps) {
  const { matter, wasSuspended, onClose, onDone } = props;
  const form = useForm({
    start: nothing,
    labels: { fee: "Fee in dollars" },
    send: async ({ outcome, fee, note }) => {
      if (outcome === "") throw noOutcome();
      const amount = cleanAmount(fee);
      const typed = { outcome, note, ...(amount !== "" && { fee: amount }) };
      const body = requestBody(fileReport, typed);
      return await call(fileReport, { params: { id: matter.id }, body });
    },
    onDone: (filed) => {
      // As the page shows it by now.
      const standing = queryClient.getQueryData<Standing>(endpointQuery(showStanding).queryKey);
      const isLifted = wasSuspended && standing?.suspended === false;
      onDone(`${filedWords(filed)}${isLifted ? " Your suspension is lifted." : ""}`);
    },
  });
  return (
    <Dialog title={`Report on ${matter.name}`} onClose={onClose}>
      <Form form={form}>
        <RadioField
          label="What has become of the referral?"
          options={outcomeOptions}
          {...form.field("outcome")}
        />
        <AmountField label="Fee in dollars" hint="If there is one" {...form.field("fee")} />
        <TextArea label="Note" hint="If there is something to add" {...form.field("note")} />
        <div>
          <SubmitButton pending={form.pending}>File report</SubmitButton>
        </div>
      </Form>
    </Dialog>
  );
}

function noOutcome(): CallFailure {
  const message = "Choose what has become of the referral.";
  return new CallFailure("not sent", message, [{ path: "outcome", message }]);
}

function filedWords({ name, reportDueOn }: Matter): string {
  return reportDueOn === null
    ? `Report filed: the referral of ${name} is closed.`
    : `Report on ${name} filed. The next one is due ${formatDay(reportDueOn)}.`;
}
