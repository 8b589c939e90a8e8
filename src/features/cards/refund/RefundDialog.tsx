import { useQuery } from "@tanstack/react-query";
import { formatDay } from "#domain/day.ts";
import { formatMoney } from "#domain/money.ts";
import { requestBody, callForAnswer } from "#web/api.tsx";
import { endpointQuery } from "#web/queries.tsx";
import { SubmitButton } from "#web/ui/Button.tsx";
import { Dialog, DialogActions } from "#web/ui/Dialog.tsx";
import { Form } from "#web/ui/Form.tsx";
import { ErrorState, Loading, ActionPreview } from "#web/ui/states.tsx";
import { TextArea } from "#web/ui/TextField.tsx";
import { useForm } from "#web/ui/use-form.tsx";
import { refundPayment } from "#features/cards/contract.ts";
import { showReceipt } from "#features/payments/contract.ts";
import { methodWords } from "#features/payments/method-words.tsx";
import type { Receipt } from "#features/payments/shapes.ts";

interface RefundDialogProps {
  paymentId: number;
  onClose: () => void;
  /** Called with a sentence that says what was done. */
  onDone: (result: string) => void;
}

/** Refunds a whole card payment, with all the debits that it paid. */
export function RefundDialog({ paymentId, ...props }: RefundDialogProps) {
  const receipt = useQuery({
    ...endpointQuery(showReceipt, { params: { id: paymentId } }),
    gcTime: 0, // what is agreed to
  });
  return (
    <Dialog title="Refund card payment" onClose={props.onClose}>
      {receipt.data ? (
        <RefundForm receipt={receipt.data} {...props} />
      ) : receipt.error ? (
        <ErrorState
          title="The payment could not be loaded"
          error={receipt.error}
          pending={receipt.isFetching}
          onRetry={() => void receipt.refetch()}
        />
      ) : (
        <Loading />
      )}
    </Dialog>
  );
}

type RefundFormProps = Omit<RefundDialogProps, "paymentId"> & { receipt: Receipt };

function RefundForm({ receipt, onDone }: RefundFormProps) {
  const amount = formatMoney(receipt.amount);
  const form = useForm({
    start: { reason: "" },
    send: async (typed) => {
      const body = requestBody(refundPayment, typed);
      return await callForAnswer(refundPayment, { params: { id: receipt.paymentId }, body });
    },
    onDone: ({ message }) =>
      onDone(message ?? `${amount} went back to the card, and the debits are owed again.`),
  });
  return (
    <Form form={form} label="Refund card payment">
      <ActionPreview>
        {`${amount} goes back to the card (${methodWords(receipt)}) as a whole, and ${receipt.attorneyName} owes again: `}
        {receipt.shares
          .map(
            (share) =>
              `${share.name}, due ${formatDay(share.dueDate)}, ${formatMoney(share.amount)}`,
          )
          .join("; ")}
        .
      </ActionPreview>
      <TextArea label="Reason" hint="Kept in the record of changes" {...form.field("reason")} />
      <DialogActions>
        <SubmitButton kind="danger" pending={form.pending}>
          {`Refund ${amount}`}
        </SubmitButton>
      </DialogActions>
    </Form>
  );
}
