import type { Attorney } from "#features/attorneys/contract.ts";
import { CardForm } from "./CardForm.tsx";
import type { Payment } from "./payment-amounts.tsx";

interface CardPaymentProps {
  payment: Payment;
  onPaid: (record: Attorney, message: string) => void;
}

/** Where the network's card processor is plugged in. Until one is, cards are refused with words. */
export function CardPayment({ payment }: CardPaymentProps) {
  return (
    <CardForm
      amount={payment.total}
      brandmarks={["mastercard", "visa"]}
      testMode={false}
      onSubmit={async () => ({
        apiErrors: [
          "Card payment is not available yet for this network. Nothing was charged; you can pay by check.",
        ],
      })}
    />
  );
}
