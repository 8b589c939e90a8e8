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

/** Shown when Pay is pressed with nothing entered: takes focus, and offers to pay all that can be paid. */
export function NothingEntered({ debits, credit, onPayAll }: NothingEnteredProps) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => place.current?.focus(), []);
  const payable = sum(leftToPay(debits, credit).map(({ amount }) => amount));
  const isCovered = payable === 0 && debits.some((debit) => payableOf(debit) > 0);
  return (
    <div ref={place} className={css["nothingEntered"]} role="alert" tabIndex={-1}>
      <span>{isCovered ? coveredWords : wordsFor(payable)}</span>
      {payable > 0 && payable <= maxAmount && (
        <Button pending={false} onClick={onPayAll}>
          {`Pay everything (${formatMoney(payable)})`}
        </Button>
      )}
    </div>
  );
}

const coveredWords = "No amount is entered. Your credit covers what you owe: use it above.";

function wordsFor(payable: Cents): string {
  if (payable === 0) return "Nothing can be paid now: all of it awaits confirmation.";
  return payable > maxAmount
    ? `No amount is entered yet. One payment is at most ${formatMoney(maxAmount)}.`
    : "No amount is entered yet. Enter what to pay above, or pay all of it.";
}
