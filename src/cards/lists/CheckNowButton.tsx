import { useMutation } from "@tanstack/react-query";
import { formatMoney } from "#kit/domain/money.ts";
import { call } from "#kit/web/api.tsx";
import { Button } from "#kit/web/ui/Button.tsx";
import { confirmCardPayment } from "#cards/contract.ts";
import type { CardPayment } from "#cards/shapes.ts";

interface CheckNowButtonProps {
  paymentId: number;
  reference: string;
  /** For table rows. */
  small?: boolean;
  /** Called with a sentence saying what the processor answered. */
  onResult: (words: string) => void;
}

export function CheckNowButton({
  paymentId,
  reference,
  small = true,
  onResult,
}: CheckNowButtonProps) {
  const asked = useMutation({
    mutationFn: () => call(confirmCardPayment, { params: { id: paymentId } }),
    onSuccess: (now) => onResult(outcomeWords(now)),
  });
  return (
    <Button
      small={small}
      pending={asked.isPending}
      label={`Check now: payment ${reference}`}
      onClick={() => asked.mutate()}
    >
      Check now
    </Button>
  );
}

const outcomes: Record<CardPayment["state"], string> = {
  processing: "is still being confirmed",
  captured: "was charged and is posted",
  declined: "was not charged; its debits are still owed",
  refunded: "was charged and refunded",
  charged_back: "was charged back by the payer's bank; its debits are owed again",
  failed: "could not be collected; its debits are owed again",
};

function outcomeWords({ amount, received, attorneyName, state, heldAt }: CardPayment): string {
  const isPart = state === "captured" && received < amount;
  const outcome = heldAt
    ? "is held for review at the processor"
    : isPart
      ? `was charged; ${formatMoney(received)} has not been refunded or charged back`
      : outcomes[state];
  return `The payment of ${formatMoney(amount)} by ${attorneyName} ${outcome}.`;
}
