import { useEffect, useRef } from "react";
import { type Cents, formatMoney, maxAmount, sum } from "#domain/money.ts";
import { Button } from "#web/ui/Button.tsx";
import type { Debit } from "#features/ledger/contract.ts";
import css from "./dashboard.module.css";
import { payableOf } from "#features/ledger/typed-amounts.tsx";

interface NothingEnteredProps {
  debits: readonly Debit[];
  onPayAll: () => void;
}

/** Shown when Pay is pressed with nothing entered: takes focus, and offers to pay all that can be paid. */
export function NothingEntered({ debits, onPayAll }: NothingEnteredProps) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => place.current?.focus(), []);
  const payable = sum(debits.map(payableOf));
  return (
    <div ref={place} className={css["nothingEntered"]} role="alert" tabIndex={-1}>
      <span>{wordsFor(payable)}</span>
      {payable > 0 && payable <= maxAmount && (
        <Button pending={false} onClick={onPayAll}>
          {`Pay everything (${formatMoney(payable)})`}
        </Button>
      )}
    </div>
  );
}

function wordsFor(payable: Cents): string {
  if (payable === 0) return "Nothing can be paid now: all of it awaits confirmation.";
  return payable > maxAmount
    ? `No amount is entered yet. One payment is at most ${formatMoney(maxAmount)}.`
    : "No amount is entered yet. Enter what to pay above, or pay all of it.";
}
