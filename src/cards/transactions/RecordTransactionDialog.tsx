import { useQuery } from "@tanstack/react-query";
import type { Day } from "#kit/domain/day.ts";
import {
  type Cents,
  centsFromDollars,
  cleanAmount,
  dollarsText,
  formatMoney,
} from "#kit/domain/money.ts";
import { call, requestBody } from "#kit/web/api.tsx";
import { useFrozenWhilePending } from "#kit/web/frozen-while-pending.tsx";
import { emailedText } from "#kit/web/mail-delivery.tsx";
import { endpointQuery } from "#kit/web/queries.tsx";
import { useToday } from "#kit/web/session.tsx";
import { AmountField } from "#kit/web/ui/AmountField.tsx";
import { SubmitButton } from "#kit/web/ui/Button.tsx";
import { RadioField } from "#kit/web/ui/ChoiceField.tsx";
import { DayField } from "#kit/web/ui/DayField.tsx";
import { Dialog, DialogActions } from "#kit/web/ui/Dialog.tsx";
import { Form } from "#kit/web/ui/Form.tsx";
import { ActionPreview, WhenLoaded } from "#kit/web/ui/states.tsx";
import { TextArea } from "#kit/web/ui/TextField.tsx";
import { useForm } from "#kit/web/ui/use-form.tsx";
import { type CardTransactionInput, recordCardTransaction } from "#cards/contract.ts";
import { refundEffectSentences } from "#cards/refund/refund-effects.tsx";
import { type CardPayment } from "#cards/shapes.ts";
import { processorLabels } from "#kit/domain/processors.ts";
import { showMoneySettings } from "#dues/ledger/contract.ts";
import { chargedBackOf } from "#cards/transactions/chargebacks.tsx";

type Kind = CardTransactionInput["kind"];

interface Typed {
  kind: Kind;
  amount: string;
  on: Day | null;
  fee: string;
  note: string;
}

interface RecordTransactionDialogProps {
  payment: CardPayment;
  onClose: () => void;
  /** Called with a sentence saying what was done. */
  onDone: (result: string) => void;
}

/** Records by hand what happened to a card payment at a processor that may not report it. */
export function RecordTransactionDialog(props: RecordTransactionDialogProps) {
  const settings = useQuery(endpointQuery(showMoneySettings));
  const title = `What happened at ${processorLabels[props.payment.processor]}`;
  return (
    <Dialog title={title} onClose={props.onClose}>
      <WhenLoaded query={settings} title="The chargeback fee could not be loaded">
        {({ chargebackFee }) => (
          <TransactionForm {...props} title={title} usualFee={chargebackFee} />
        )}
      </WhenLoaded>
    </Dialog>
  );
}

interface TransactionFormProps extends RecordTransactionDialogProps {
  title: string;
  usualFee: Cents;
}

function TransactionForm({ title, usualFee, onDone, ...props }: TransactionFormProps) {
  const today = useToday();
  const [first] = kindsOf(props.payment);
  const form = useForm<Typed, string>({
    start: {
      kind: first ?? "refund",
      amount: dollarsText(maxAmountOf(props.payment, first ?? "refund")),
      on: today,
      fee: usualFee > 0 ? dollarsText(usualFee) : "",
      note: "",
    },
    labels: {
      kind: "What happened",
      amount: "Amount in dollars",
      on: "Date",
      fee: "Fee in dollars",
    },
    send: async ({ fee, on, ...typed }) => {
      const charged = feeOf(typed.kind, fee);
      const body = requestBody(recordCardTransaction, {
        ...typed,
        amount: cleanAmount(typed.amount),
        on: on ?? "",
        ...(charged !== null && { fee: charged }),
      });
      await call(recordCardTransaction, { params: { id: props.payment.id }, body });
      return `${formatMoney(body.amount)} is recorded as ${recordedAs[body.kind]}.`;
    },
    onDone,
  });
  const payment = useFrozenWhilePending(props.payment, form.pending);
  const { kind } = form.typed;
  const amount = centsFromDollars(cleanAmount(form.typed.amount));
  const processor = processorLabels[payment.processor];
  return (
    <Form form={form} label={title}>
      <RadioField
        label="What happened"
        options={kindsOf(payment).map((value) => ({ value, ...kinds[value] }))}
        {...form.field("kind")}
        onChange={(chosen) =>
          form.set({ kind: chosen, amount: dollarsText(maxAmountOf(payment, chosen)) })
        }
      />
      <AmountField
        label="Amount in dollars"
        hint={`At most ${formatMoney(maxAmountOf(payment, kind))}`}
        {...form.field("amount")}
      />
      <DayField
        required
        label="Date"
        hint={`The date it happened at ${processor}`}
        {...form.field("on")}
      />
      {kind === "chargeback" && (
        <AmountField
          label="Fee in dollars"
          hint={`Charged to ${payment.attorneyName}, due today. Leave blank for no fee.`}
          {...form.field("fee")}
        />
      )}
      <TextArea label="Note" {...form.field("note")} />
      <ActionPreview>
        {consequence(payment, { kind, amount, fee: feeOf(kind, form.typed.fee) })}
      </ActionPreview>
      <DialogActions>
        <SubmitButton pending={form.pending}>{`Record the ${nouns[kind]}`}</SubmitButton>
      </DialogActions>
    </Form>
  );
}

const kinds: Record<Kind, { label: string; hint: string }> = {
  refund: { label: "Refund", hint: "The money went back to the card there." },
  chargeback: { label: "Chargeback", hint: "The payer's bank took the money back." },
  chargeback_reversed: {
    label: "Chargeback reversed",
    hint: "The payer's bank returned the money.",
  },
};

const nouns: Record<Kind, string> = {
  refund: "refund",
  chargeback: "chargeback",
  chargeback_reversed: "chargeback reversal",
};

const recordedAs: Record<Kind, string> = {
  refund: "refunded",
  chargeback: "charged back",
  chargeback_reversed: "returned by the payer's bank",
};

const maxAmountOf = (payment: CardPayment, kind: Kind): Cents =>
  kind === "chargeback_reversed" ? chargedBackOf(payment) : payment.received;

export const kindsOf = (payment: CardPayment): Kind[] =>
  (["refund", "chargeback", "chargeback_reversed"] as const).filter(
    (kind) => maxAmountOf(payment, kind) > 0,
  );

/** The fee to send; null for none. */
function feeOf(kind: Kind, typed: string): string | null {
  const fee = cleanAmount(typed);
  return kind !== "chargeback" || fee === "" || centsFromDollars(fee) === 0 ? null : fee;
}

interface WhatToRecord {
  kind: Kind;
  amount: Cents | null;
  fee: string | null;
}

function consequence(payment: CardPayment, { kind, amount, fee }: WhatToRecord): string {
  const most = maxAmountOf(payment, kind);
  if (amount === null || amount <= 0 || amount > most)
    return `At most ${formatMoney(most)} can be recorded.`;
  if (kind === "chargeback_reversed")
    return `${formatMoney(amount)} pays the same debits again if they are still owed. The rest becomes ${payment.attorneyName}'s credit.`;
  const charged = centsFromDollars(fee ?? "");
  const sentences = [
    refundEffectSentences(payment, amount),
    charged !== null && charged > 0 && `A fee of ${formatMoney(charged)} is charged.`,
    kind === "refund" ? emailedText("The attorney is emailed.") : "Nobody is emailed.",
  ];
  return sentences.filter((sentence) => sentence !== false).join(" ");
}
