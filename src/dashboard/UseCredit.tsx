import { useMutation } from "@tanstack/react-query";
import { type Cents, dollarsText, formatMoney } from "#kit/domain/money.ts";
import { spendOwnCredit } from "#dues/ledger/contract.ts";
import { call, requestBody } from "#kit/web/api.tsx";
import { Button } from "#kit/web/ui/Button.tsx";

interface UseCreditProps {
  /** The part of the credit that can be used on debits. */
  amount: Cents;
  onDone: (message: string) => void;
}

export function UseCredit({ amount, onDone }: UseCreditProps) {
  const using = useMutation({
    mutationFn: async (used: Cents) => {
      const body = requestBody(spendOwnCredit, { amount: dollarsText(used) });
      await call(spendOwnCredit, { body });
    },
    onSuccess: (_, used) => onDone(`${formatMoney(used)} was paid from your credit.`),
  });
  return (
    <Button
      kind="primary"
      pending={using.isPending}
      onClick={() => using.mutate(amount)}
    >{`Use ${formatMoney(amount)} of your credit`}</Button>
  );
}
