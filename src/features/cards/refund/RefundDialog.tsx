import { useQuery } from "@tanstack/react-query";
import { formatDay } from "#domain/day.ts";
import { formatMoney } from "#domain/money.ts";
import { endpointQuery } from "#web/queries.tsx";
import { Dialog } from "#web/ui/Dialog.tsx";
import { WhenLoaded } from "#web/ui/states.tsx";
import { refundPayment } from "#features/cards/contract.ts";
import { RefundForm } from "#features/cards/refund/RefundForm.tsx";
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
export function RefundDialog({ paymentId, onClose, onDone }: RefundDialogProps) {
  const receipt = useQuery({
    ...endpointQuery(showReceipt, { params: { id: paymentId } }),
    gcTime: 0, // what is agreed to
  });
  return (
    <Dialog title="Refund card payment" onClose={onClose}>
      <WhenLoaded query={receipt} title="The payment could not be loaded">
        {(paid) => (
          <RefundForm
            label="Refund card payment"
            refund={refundPayment}
            id={paymentId}
            amount={paid.amount}
            preview={consequence(paid)}
            done={`${formatMoney(paid.amount)} went back to the card, and the debits are owed again.`}
            onDone={onDone}
          />
        )}
      </WhenLoaded>
    </Dialog>
  );
}

function consequence(paid: Receipt): string {
  const owed = paid.shares.map(
    ({ name, dueDate, amount }) => `${name}, due ${formatDay(dueDate)}, ${formatMoney(amount)}`,
  );
  return `${formatMoney(paid.amount)} goes back to the card (${methodWords(paid)}) as a whole, and ${paid.attorneyName} owes again: ${owed.join("; ")}.`;
}
