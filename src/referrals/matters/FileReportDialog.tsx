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
import { showSuspensionStatus, type SuspensionStatus } from "#referrals/suspension/contract.ts";
import { outcomeWords } from "./outcome-words.tsx";

const outcomeOptions = outcomes.map((outcome) => ({
  value: outcome,
  label: outcomeWords[outcome],
  ...(closingOutcomes.has(outcome) && { hint: "(no more reports)" }),
}));

const emptyReport: { outcome: Outcome | ""; fee: string; note: string } = {
  outcome: "",
  fee: "",
  note: "",
};

interface FileReportDialogProps {
  matter: Matter;
  wasSuspended: boolean;
  onClose: () => void;
  /** Called with a message that says what comes next. */
  onDone: (words: string) => void;
}

/** Asks an attorney what happened with a referral. */
export function FileReportDialog(props: FileReportDialogProps) {
  const { matter, wasSuspended, onClose, onDone } = props;
  const form = useForm({
    start: emptyReport,
    labels: { fee: "Fee in dollars" },
    send: async ({ outcome, fee, note }) => {
      if (outcome === "") throw noOutcome();
      const amount = cleanAmount(fee);
      const typed = { outcome, note, ...(amount !== "" && { fee: amount }) };
      const body = requestBody(fileReport, typed);
      return await call(fileReport, { params: { id: matter.id }, body });
    },
    onDone: (filed) => {
      // As the page shows it now.
      const suspension = queryClient.getQueryData<SuspensionStatus>(
        endpointQuery(showSuspensionStatus).queryKey,
      );
      const isLifted = wasSuspended && suspension?.suspended === false;
      onDone(`${filedWords(filed)}${isLifted ? " Your suspension is lifted." : ""}`);
    },
  });
  return (
    <Dialog title={`Report on ${matter.name}`} onClose={onClose}>
      <Form form={form}>
        <RadioField
          label="What happened with this referral?"
          options={outcomeOptions}
          {...form.field("outcome")}
        />
        <AmountField label="Fee in dollars" hint="Leave blank if none" {...form.field("fee")} />
        <TextArea label="Note" hint="Optional" {...form.field("note")} />
        <div>
          <SubmitButton pending={form.pending}>File report</SubmitButton>
        </div>
      </Form>
    </Dialog>
  );
}

function noOutcome(): CallFailure {
  const message = "Choose what happened with this referral.";
  return new CallFailure("not sent", message, [{ path: "outcome", message }]);
}

function filedWords({ name, reportDueOn }: Matter): string {
  return reportDueOn === null
    ? `Report filed. The referral of ${name} is closed.`
    : `Report on ${name} filed. The next one is due ${formatDay(reportDueOn)}.`;
}
