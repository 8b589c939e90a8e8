import { useEffect, useRef } from "react";
import { type Cents, formatMoney, maxAmount, sum } from "#kit/domain/money.ts";
import { Button } from "#kit/web/ui/Button.tsx";
import type { Debit } from "#dues/ledger/contract.ts";
import css from "./dashboard.module.css";
import { leftToPay, payableOf } from "#dues/ledger/typed-amounts.tsx";

interface NothingEnteredProps {
  debits: readonly Debit[];
  credit: Cents;
  onPayAll: () => void;
}

/** Shown when Pay is pressed with no amount: takes focus and offers to pay everything. */
export function NothingEntered({ debits, credit, onPayAll }: NothingEnteredProps) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => place.current?.focus(), []);
  const payable = sum(leftToPay(debits, credit).map(({ amount }) => amount));
  const isCovered = payable === 0 && debits.some((debit) => payableOf(debit) > 0);
  return (
    <div ref={place} className={css["nothingEntered"]} role="alert" tabIndex={-1}>
      <span>{isCovered ? coveredMessage : messageFor(payable)}</span>
      {payable > 0 && payable <= maxAmount && (
        <Button pending={false} onClick={onPayAll}>
          {`Pay everything (${formatMoney(payable)})`}
        </Button>
      )}
    </div>
  );
}

const coveredMessage =
  "You have not entered an amount. Your credit covers what you owe: use it above.";

function messageFor(payable: Cents): string {
  if (payable === 0) return "Nothing can be paid now: everything you owe is pending.";
  return payable > maxAmount
    ? `You have not entered an amount. One payment can be at most ${formatMoney(maxAmount)}.`
    : "You have not entered an amount. Enter one above, or pay everything.";
}
