import { type ReactNode, useEffect, useEffectEvent, useState } from "react";
import { type Cents, formatMoney, maxAmount, sum } from "#kit/domain/money.ts";
import type { Debit } from "#dues/ledger/contract.ts";
import { fullAmounts, leftToPay, titleOf } from "#dues/ledger/typed-amounts.tsx";
import { Muted } from "#kit/web/ui/layout.tsx";
import { Money } from "#kit/web/ui/Money.tsx";
import css from "./dashboard.module.css";
import { PayDialog } from "./PayDialog.tsx";
import { paymentOf } from "./payment-key.tsx";

interface PayAllDialogProps {
  debits: readonly Debit[];
  credit: Cents;
  onClose: () => void;
  onPaid: (result: ReactNode) => void;
}

const maxListed = 6;

/** Lists and pays everything that can be paid, less credit, as it was when the dialog opened. */
export function PayAllDialog({ debits, credit, onClose, onPaid }: PayAllDialogProps) {
  const [{ payment, paid }] = useState(() => ({
    payment: paymentOf(debits, fullAmounts(debits, credit)),
    paid: leftToPay(debits, credit),
  }));
  const canPay = payment.total > 0 && payment.total <= maxAmount;
  const close = useEffectEvent(onClose);
  useEffect(() => {
    if (!canPay) close(); // opened by its address when nothing can be paid
  }, [canPay]);
  if (!canPay) return null;
  const others = paid.slice(maxListed);
  return (
    <PayDialog payment={payment} onClose={onClose} onPaid={onPaid}>
      <ul className={css["paying"]} aria-label="What you are paying">
        {paid.slice(0, maxListed).map(({ debit, amount }) => (
          <li key={debit.id}>
            <span>{titleOf(debit)}</span>
            <Money amount={amount} />
          </li>
        ))}
        {others.length > 0 && (
          <li>
            <Muted>{`and ${others.length} more`}</Muted>
            <Muted>{formatMoney(sum(others.map(({ amount }) => amount)))}</Muted>
          </li>
        )}
      </ul>
    </PayDialog>
  );
}
