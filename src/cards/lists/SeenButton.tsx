import { useMutation } from "@tanstack/react-query";
import { formatMoney } from "#kit/domain/money.ts";
import { call } from "#kit/web/api.tsx";
import { Button } from "#kit/web/ui/Button.tsx";
import { markChargebacksSeen } from "#cards/contract.ts";
import type { CardPayment } from "#cards/shapes.ts";

interface SeenButtonProps {
  payment: CardPayment;
  /** Called with a sentence saying what was done. */
  onSeen: (words: string) => void;
}

export function SeenButton({ payment, onSeen }: SeenButtonProps) {
  const seen = useMutation({
    mutationFn: () => call(markChargebacksSeen, { params: { id: payment.id } }),
    onSuccess: () =>
      onSeen(
        `The chargeback of ${formatMoney(payment.unseenChargebacks)} by ${payment.attorneyName} is marked as seen.`,
      ),
  });
  return (
    <Button
      small
      pending={seen.isPending}
      label={`Mark as seen: the chargeback of payment ${payment.reference}`}
      onClick={() => seen.mutate()}
    >
      Mark as seen
    </Button>
  );
}
