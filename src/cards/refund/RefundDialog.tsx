import { useQuery } from "@tanstack/react-query";
import {
  type Cents,
  centsFromDollars,
  cleanAmount,
  dollarsText,
  formatMoney,
} from "#kit/domain/money.ts";
import { callForAnswer, requestBody } from "#kit/web/api.tsx";
import { useFrozenWhilePending } from "#kit/web/frozen-while-pending.tsx";
import { endpointQuery } from "#kit/web/queries.tsx";
import { AmountField } from "#kit/web/ui/AmountField.tsx";
import { SubmitButton } from "#kit/web/ui/Button.tsx";
import { Dialog, DialogActions } from "#kit/web/ui/Dialog.tsx";
import { Form } from "#kit/web/ui/Form.tsx";
import { ActionPreview, WhenLoaded } from "#kit/web/ui/states.tsx";
import { TextArea } from "#kit/web/ui/TextField.tsx";
import { useForm } from "#kit/web/ui/use-form.tsx";
import { refundCard, showCardPayment } from "#cards/contract.ts";
import { refundEffects, refundEffectSentences } from "#cards/refund/refund-effects.tsx";
import type { CardPayment } from "#cards/shapes.ts";
import { methodWords } from "#payments/method-words.tsx";

interface RefundDialogProps {
  paymentId: number;
  /** Start with the unused credit, not with everything still received. */
  ofCredit?: boolean;
  onClose: () => void;
  /** Called with a sentence saying what was done. */
  onDone: (result: string) => void;
}

/** Refunds a card payment, in whole or in part, for a reason. */
export function RefundDialog({ paymentId, onClose, ...form }: RefundDialogProps) {
  const payment = useQuery(endpointQuery(showCardPayment, { params: { id: paymentId } }));
  return (
    <Dialog title="Refund card payment" onClose={onClose}>
      <WhenLoaded query={payment} title="The payment could not be loaded">
        {(paid) => <RefundForm payment={paid} {...form} />}
      </WhenLoaded>
    </Dialog>
  );
}

interface RefundFormProps extends Pick<RefundDialogProps, "ofCredit" | "onDone"> {
  payment: CardPayment;
}

function RefundForm({ payment: now, ofCredit = false, onDone }: RefundFormProps) {
  const form = useForm({
    start: { amount: dollarsText(ofCredit ? now.credit.unused : now.received), reason: "" },
    labels: { amount: "Amount in dollars" },
    send: async ({ amount, reason }) => {
      const body = requestBody(refundCard, { reason, amount: cleanAmount(amount) });
      const done = doneWords(now, body.amount ?? now.received);
      const { message } = await callForAnswer(refundCard, { params: { id: now.id }, body });
      return message ?? done;
    },
    onDone,
  });
  const payment = useFrozenWhilePending(now, form.pending);
  const amount = centsFromDollars(cleanAmount(form.typed.amount));
  const isPossible = amount !== null && amount > 0 && amount <= payment.received;
  return (
    <Form form={form} label="Refund card payment">
      <AmountField
        label="Amount in dollars"
        hint={`Up to ${formatMoney(payment.received)}`}
        {...form.field("amount")}
      />
      <ActionPreview>
        {isPossible
          ? consequence(payment, amount)
          : `At most ${formatMoney(payment.received)} can be refunded.`}
      </ActionPreview>
      <TextArea label="Reason" hint="Shown in Activity" {...form.field("reason")} />
      <DialogActions>
        <SubmitButton kind="danger" pending={form.pending}>
          {isPossible ? `Refund ${formatMoney(amount)}` : "Refund"}
        </SubmitButton>
      </DialogActions>
    </Form>
  );
}

function consequence(payment: CardPayment, amount: Cents): string {
  const card = methodWords({ method: "online", card: payment.card, checkNumber: null });
  const whole = amount === payment.amount ? " in full" : "";
  return `${formatMoney(amount)} goes back to the card (${card})${whole}. ${refundEffectSentences(payment, amount)}`;
}

function doneWords(payment: CardPayment, amount: Cents): string {
  const owed = refundEffects(payment, amount).debits.length > 0;
  return `${formatMoney(amount)} went back to the card${owed ? ", and the debits are owed again" : ""}.`;
}
