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
import { likelyOwner, type Parts } from "./placing.tsx";
import { useAttorneysOf } from "./use-attorneys-of.tsx";

interface StillToPlaceProps {
  /** Where the summary of problems leads that says how much is left. */
  id: string;
  payer: Payer;
  debits: readonly DebitOfAttorney[];
  parts: Parts;
  left: Cents | null;
  error: string | undefined;
  /** Holds the button that keeps the rest as credit, while there is a rest. */
  keeping: RefObject<HTMLDivElement | null>;
  /** The credit of an attorney shall read so much. */
  onKept: (attorneyId: number, amount: string) => void;
}

/** How much of the check has no place yet; one press makes it credit. */
export function StillToPlace(props: StillToPlaceProps) {
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
  if (left === null) return "Still to place: enter the check's amount first";
  if (left < 0) return `Placed ${formatMoney(cents(-left))} too much`;
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
        {`Keep ${formatMoney(left)} as credit of ${owner.name}`}
      </Button>
      {attorneys.length > 1 && (
        <SelectField
          labelHidden
          label="Whose credit"
          error={undefined}
          options={attorneys.map(({ id, name }) => ({ value: String(id), label: name }))}
          value={String(owner.id)}
          onChange={(id) => setChosen(Number(id))}
        />
      )}
    </>
  );
}
