import { formatMoney } from "#kit/domain/money.ts";
import { Money } from "#kit/web/ui/Money.tsx";
import { Muted, Stack } from "#kit/web/ui/layout.tsx";
import type { Plan } from "./contract.ts";

/** `$1,250.00 every 3 months` on two lines, so amounts align. */
export function PaymentSchedule({ of }: { of: Pick<Plan, "amount" | "paymentSchedule"> }) {
  const frequency = of.paymentSchedule.replace(`${formatMoney(of.amount)} `, "");
  return (
    <Stack gap={4}>
      <Money amount={of.amount} /> <Muted small>{frequency}</Muted>
    </Stack>
  );
}
