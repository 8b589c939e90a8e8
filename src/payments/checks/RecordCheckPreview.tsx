import { type Cents, formatMoney, runningTotal } from "#kit/domain/money.ts";
import type { DebitOfAttorney } from "#dues/ledger/contract.ts";
import { ActionPreview } from "#kit/web/ui/states.tsx";
import { counted } from "./check-words.tsx";
import type { TypedCheck } from "./new-check-body.tsx";

interface CheckAheadProps {
  typed: TypedCheck;
  debits: readonly DebitOfAttorney[];
  left: Cents | null;
}

/** Shows what recording the check does, in numbers, once it is fully placed. */
export function RecordCheckPreview({ typed, debits, left }: CheckAheadProps) {
  const paid = debits.filter(({ id }) => runningTotal([typed.shares[id] ?? ""]) > 0);
  const onDebits = runningTotal(paid.map(({ id }) => typed.shares[id] ?? ""));
  const asCredit = runningTotal(Object.values(typed.credits));
  if (left !== 0 || onDebits + asCredit === 0) return null;
  const lawyers = new Set(paid.map(({ attorneyId }) => attorneyId)).size;
  const parts = [
    onDebits > 0 &&
      `${formatMoney(onDebits)} pays ${counted(paid.length, "debit")} of ${counted(lawyers, "attorney")}`,
    asCredit > 0 && `${formatMoney(asCredit)} becomes credit`,
  ];
  const sentence = parts.filter((part) => part !== false).join(" and ");
  return (
    <ActionPreview>
      {typed.approve ? `${sentence} now.` : `${sentence} when the check is approved.`}
    </ActionPreview>
  );
}
