import { useMutation } from "@tanstack/react-query";
import { type Cents, dollarsText, formatMoney } from "#kit/domain/money.ts";
import { spendOwnCredit } from "#dues/ledger/contract.ts";
import { call, requestBody } from "#kit/web/api.tsx";
import { Button } from "#kit/web/ui/Button.tsx";

interface UseCreditProps {
  /** As much of the credit as what is owed can take. */
  amount: Cents;
  /** Called with a sentence that says what was done. */
  onDone: (said: string) => void;
}

/** Pays what is owed from credit, the oldest due first. */
export function UseCredit({ amount, onDone }: UseCreditProps) {
  const using = useMutation({
    mutationFn: async (used: Cents) => {
      const body = requestBody(spendOwnCredit, { amount: dollarsText(used) });
      await call(spendOwnCredit, { body });
    },
    onSuccess: (_, used) => onDone(`${formatMoney(used)} is paid from your credit.`),
  });
  return (
    <Button
      kind="primary"
      pending={using.isPending}
      onClick={() => using.mutate(amount)}
    >{`Use ${formatMoney(amount)} of your credit`}</Button>
  );
}
