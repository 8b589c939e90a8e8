import { Button } from "#web/ui/Button.tsx";
import type { Debit } from "#features/ledger/contract.ts";
import css from "./dashboard.module.css";
import {
  inFull,
  isNothingEntered,
  noAmounts,
  type PaymentAmounts,
} from "#features/ledger/typed-amounts.tsx";

interface FillAllProps {
  debits: readonly Debit[];
  amounts: PaymentAmounts;
  onAmounts: (amounts: PaymentAmounts) => void;
}

/** Enters every balance in full, or empties the amounts again. */
export function FillAll({ debits, amounts, onAmounts }: FillAllProps) {
  const all = inFull(debits);
  if (isNothingEntered(all)) return null; // all of it awaits confirmation
  const isFilled = Object.entries(all).every(([id, amount]) => amounts[Number(id)] === amount);
  return (
    <div className={css["fillAll"]}>
      <Button
        small
        kind="quiet"
        pending={false}
        onClick={() => onAmounts(isFilled ? noAmounts : all)}
      >
        {isFilled ? "Clear all amounts" : "All balances in full"}
      </Button>
    </div>
  );
}
