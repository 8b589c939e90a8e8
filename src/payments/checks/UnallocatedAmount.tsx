import { type RefObject, useState } from "react";
import {
  type Cents,
  cents,
  centsFromDollars,
  cleanAmount,
  dollarsText,
  formatMoney,
} from "#kit/domain/money.ts";
import type { DebitOfAttorney } from "#dues/ledger/contract.ts";
import { Button } from "#kit/web/ui/Button.tsx";
import { SelectField } from "#kit/web/ui/ChoiceField.tsx";
import css from "./checks.module.css";
import type { Payer } from "./PayerSelect.tsx";
import { likelyOwner, type Parts } from "./check-allocation.tsx";
import { useAttorneysOf } from "./use-attorneys-of.tsx";

interface StillToPlaceProps {
  /** The id that the error summary links to. */
  id: string;
  payer: Payer;
  debits: readonly DebitOfAttorney[];
  parts: Parts;
  left: Cents | null;
  error: string | undefined;
  /** Holds the "Keep as credit" button while an amount is left. */
  keeping: RefObject<HTMLDivElement | null>;
  /** Sets an attorney's credit to this amount. */
  onKept: (attorneyId: number, amount: string) => void;
}

/** The amount of the check still to place, with a button to keep it as credit. */
export function UnallocatedAmount(props: StillToPlaceProps) {
  const { id, left, error, keeping } = props;
  return (
    <div className={css["left"]} data-invalid={error ? "" : undefined}>
      <div>
        <output id={id} tabIndex={-1} className={css["leftAmount"]} data-done={left === 0}>
          {leftWords(left)}
        </output>
        {error && <p className={css["error"]}>{error}</p>}
      </div>
      {left !== null && left > 0 && (
        <div ref={keeping} className={css["keep"]}>
          <KeepAsCredit {...props} left={left} />
        </div>
      )}
    </div>
  );
}

function leftWords(left: Cents | null): string {
  if (left === null) return "Still to place: enter the amount of the check first";
  if (left < 0) return `Over by ${formatMoney(cents(-left))}`;
  return `Still to place: ${formatMoney(left)}`;
}

function KeepAsCredit(props: StillToPlaceProps & { left: Cents }) {
  const { payer, debits, parts, left, onKept } = props;
  const attorneys = useAttorneysOf(payer);
  const [chosen, setChosen] = useState<number | null>(null);
  const likely = likelyOwner(debits, parts, attorneys);
  const owner = attorneys.find(({ id }) => id === (chosen ?? likely));
  if (!owner) return null;
  const kept = centsFromDollars(cleanAmount(parts.credits[owner.id] ?? "")) ?? 0;
  return (
    <>
      <Button
        small
        pending={false}
        onClick={() => onKept(owner.id, dollarsText(cents(kept + left)))}
      >
        {`Keep ${formatMoney(left)} as credit for ${owner.name}`}
      </Button>
      {attorneys.length > 1 && (
        <SelectField
          labelHidden
          label="Credit for"
          error={undefined}
          options={attorneys.map(({ id, name }) => ({ value: String(id), label: name }))}
          value={String(owner.id)}
          onChange={(id) => setChosen(Number(id))}
        />
      )}
    </>
  );
}
