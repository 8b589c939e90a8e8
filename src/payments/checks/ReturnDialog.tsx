import { useQuery } from "@tanstack/react-query";
import type { z } from "zod";
import type { Day } from "#kit/domain/day.ts";
import {
  type Cents,
  cents,
  centsFromDollars,
  cleanAmount,
  dollarsText,
  formatMoney,
  negated,
  sum,
} from "#kit/domain/money.ts";
import { call, requestBody } from "#kit/web/api.tsx";
import { EmailNotSetUp, sendsMail } from "#kit/web/mail-delivery.tsx";
import { endpointQuery } from "#kit/web/queries.tsx";
import { useToday } from "#kit/web/session.tsx";
import { AmountField } from "#kit/web/ui/AmountField.tsx";
import { SubmitButton } from "#kit/web/ui/Button.tsx";
import { DayField } from "#kit/web/ui/DayField.tsx";
import { Dialog, DialogActions } from "#kit/web/ui/Dialog.tsx";
import { Form } from "#kit/web/ui/Form.tsx";
import { ActionPreview, ErrorState, Loading } from "#kit/web/ui/states.tsx";
import { TextArea } from "#kit/web/ui/TextField.tsx";
import { useForm } from "#kit/web/ui/use-form.tsx";
import { counted } from "./check-words.tsx";
import { type Check, previewReturn, returnCheck } from "./contract.ts";
import css from "./checks.module.css";

type Preview = z.output<typeof previewReturn.object>;

interface ReturnDialogProps {
  check: Check;
  onClose: () => void;
  /** Called with a sentence about the result. */
  onDone: (result: string) => void;
}

/** Shows what returning a check does, in numbers, then records the return. Source: domain rules §10. */
export function ReturnDialog({ check, onClose, onDone }: ReturnDialogProps) {
  const preview = useQuery({
    ...endpointQuery(previewReturn, { params: { id: check.id } }),
    gcTime: 0,
  });
  return (
    <Dialog title="Returned by the bank" onClose={onClose}>
      {preview.data ? (
        <ReturnForm check={check} preview={preview.data} onDone={onDone} />
      ) : preview.error ? (
        <ErrorState
          title="The preview could not be loaded"
          error={preview.error}
          pending={preview.isFetching}
          onRetry={() => void preview.refetch()}
        />
      ) : (
        <Loading />
      )}
    </Dialog>
  );
}

interface TypedReturn {
  returned_on: Day | null;
  fee: string;
  note: string;
}

interface ReturnFormProps {
  check: Check;
  preview: Preview;
  onDone: (result: string) => void;
}

function ReturnForm({ check, preview, onDone }: ReturnFormProps) {
  const today = useToday();
  const form = useForm<TypedReturn, { checkNumber: string; owed: Cents }>({
    start: {
      returned_on: today,
      fee: preview.fee > 0 ? dollarsText(preview.fee) : "",
      note: "",
    },
    labels: { returned_on: "Returned on", fee: "Fee in dollars" },
    send: async ({ returned_on, fee, note }) => {
      const charged = cleanAmount(fee);
      const owed = owedAgain(preview, feeTyped(fee)); // the amount shown when the button was pressed
      const body = requestBody(returnCheck, {
        returned_on: returned_on ?? "",
        note,
        ...(isNone(charged) ? {} : { fee: charged }),
      });
      const { checkNumber } = await call(returnCheck, { params: { id: check.id }, body });
      return { checkNumber, owed };
    },
    onDone: ({ checkNumber, owed }) =>
      onDone(`Check ${checkNumber} returned. ${formatMoney(owed)} is owed again.`),
  });
  const fee = feeTyped(form.typed.fee);
  return (
    <Form form={form} label="Returned by the bank">
      <p>{`Check ${check.checkNumber} of ${formatMoney(check.amount)} from ${check.payer.name}. This cannot be undone.`}</p>
      <ActionPreview>
        <span className={css["consequences"]}>
          {consequences(preview, fee).map((line) => (
            <span key={line}>{line}</span>
          ))}
        </span>
      </ActionPreview>
      {preview.mailed.length > 0 && <EmailNotSetUp />}
      <DayField required label="Returned on" {...form.field("returned_on")} />
      <AmountField
        label="Fee in dollars"
        hint={`Charged to ${preview.feeAttorneyName}, due today. Leave blank for no fee.`}
        {...form.field("fee")}
      />
      <TextArea label="Note" hint="For example, why the bank returned it" {...form.field("note")} />
      <DialogActions>
        <SubmitButton
          kind="danger"
          pending={form.pending}
        >{`Return check ${check.checkNumber} (${formatMoney(check.amount)})`}</SubmitButton>
      </DialogActions>
    </Form>
  );
}

const isNone = (charged: string): boolean => charged === "" || centsFromDollars(charged) === 0;

const feeTyped = (typed: string): Cents =>
  cents(Math.max(0, centsFromDollars(cleanAmount(typed)) ?? 0));

/** The total owed again, with the fee and less what other credit pays of the new charges. */
function owedAgain(preview: Preview, fee: Cents): Cents {
  const { reopened, creditTakenOff, creditCharged, heldCharged } = preview;
  const paid = negated(fromCredit(preview, fee));
  return sum([reopened, creditTakenOff, creditCharged, heldCharged, fee, paid]);
}

const fromCredit = ({ chargedFromCredit, creditForFee }: Preview, fee: Cents): Cents =>
  cents(chargedFromCredit + Math.min(fee, creditForFee));

/** What the return does, one line each. */
function consequences(preview: Preview, fee: Cents): string[] {
  const { debits, reopened, creditTakenBack, creditTakenOff, creditCharged, mailed } = preview;
  const paid = fromCredit(preview, fee);
  const names = mailed.map(({ attorneyName, email }) => `${attorneyName} (${email})`);
  const lines = [
    debits > 0 &&
      `${counted(debits, "debit")} ${debits === 1 ? "opens" : "open"} again. ${formatMoney(reopened)} is owed again.`,
    creditTakenBack > 0 && `${formatMoney(creditTakenBack)} of unused credit is reversed.`,
    creditTakenOff > 0 &&
      `${formatMoney(creditTakenOff)} of credit is removed from the debits it paid. They are owed again.`,
    creditCharged > 0 &&
      `${formatMoney(creditCharged)} of credit that was already refunded becomes a charge.`,
    preview.heldCharged > 0 &&
      `${formatMoney(preview.heldCharged)} was denied and already refunded. It is charged to ${preview.feeAttorneyName}.`,
    fee > 0
      ? `A fee of ${formatMoney(fee)} is charged to ${preview.feeAttorneyName}.`
      : "No fee is charged.",
    paid > 0 && `Other credit pays ${formatMoney(paid)} of the new charges immediately.`,
    `Total owed again: ${formatMoney(owedAgain(preview, fee))}.`,
    names.length > 0
      ? sendsMail()
        ? `${names.join(", ")} will be emailed.`
        : `Emails to ${names.join(", ")} will be saved, not sent.`
      : "No one will be emailed.",
  ];
  return lines.filter((line) => line !== false);
}
