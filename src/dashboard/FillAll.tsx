import type { Cents } from "#kit/domain/money.ts";
import { Button } from "#kit/web/ui/Button.tsx";
import type { Debit } from "#dues/ledger/contract.ts";
import css from "./dashboard.module.css";
import {
  inFull,
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

/** Enters every balance in full, less what credit covers, or empties the amounts again. */
export function FillAll({ debits, credit, amounts, onAmounts }: FillAllProps) {
  const all = inFull(debits, credit);
  if (isNothingEntered(all)) return null; // all of it awaits confirmation, or credit covers it
  const fills = credit > 0 ? "All that is left after credit" : "All balances in full";
  const isFilled = Object.entries(all).every(([id, amount]) => amounts[Number(id)] === amount);
  return (
    <div className={css["fillAll"]}>
      <Button
        small
        kind="quiet"
        pending={false}
        onClick={() => onAmounts(isFilled ? noAmounts : all)}
      >
        {isFilled ? "Clear all amounts" : fills}
      </Button>
    </div>
  );
}
