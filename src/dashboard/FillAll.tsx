import type { Cents } from "#kit/domain/money.ts";
import { Button } from "#kit/web/ui/Button.tsx";
import type { Debit } from "#dues/ledger/contract.ts";
import css from "./dashboard.module.css";
import {
  fullAmounts,
  isNothingEntered,
  noAmounts,
  type PaymentAmounts,
} from "#dues/ledger/typed-amounts.tsx";

interface FillAllProps {
  debits: readonly Debit[];
  credit: Cents;
  amounts: PaymentAmounts;
  onAmounts: (amounts: PaymentAmounts) => void;
}

/** A button that enters every balance in full, less credit, or clears the amounts. */
export function FillAll({ debits, credit, amounts, onAmounts }: FillAllProps) {
  const all = fullAmounts(debits, credit);
  if (isNothingEntered(all)) return null; // everything is pending or covered by credit
  const fillLabel = credit > 0 ? "Pay the rest after credit" : "Pay all in full";
  const isFilled = Object.entries(all).every(([id, amount]) => amounts[Number(id)] === amount);
  return (
    <div className={css["fillAll"]}>
      <Button
        small
        kind="quiet"
        pending={false}
        onClick={() => onAmounts(isFilled ? noAmounts : all)}
      >
        {isFilled ? "Clear all amounts" : fillLabel}
      </Button>
    </div>
  );
}
