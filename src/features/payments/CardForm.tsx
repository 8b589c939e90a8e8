import { useMutation } from "@tanstack/react-query";
import { type SyntheticEvent, useId, useRef, useState } from "react";
import {
  canBecomeValid,
  type Card,
  type CardField,
  cardFields,
  cardMessages,
  emptyCard,
  isCardFieldValid,
} from "#domain/card.ts";
import { type Cents, formatMoney } from "#domain/money.ts";
import { SubmitButton } from "#web/ui/Button.tsx";
import { Muted } from "#web/ui/layout.tsx";
import { type Brandmark, Brandmarks } from "./Brandmarks.tsx";
import css from "./CardForm.module.css";
import { CardInput } from "./CardInput.tsx";

interface CardFormProps {
  amount: Cents;
  brandmarks: readonly Brandmark[];
  /** No money moves: the processor is its sandbox. */
  testMode: boolean;
  /** Charges the card; answers the processor's words when it would not. */
  onSubmit: (card: Card) => Promise<{ apiErrors?: string[] }>;
}

/**
 * A card in three fields, with one line beneath for what is wrong. The button works once every
 * field is valid. However charging went, the fields are empty afterwards. Source: spec §2, §4, §5.
 */
export function CardForm({ amount, brandmarks, testMode, onSubmit }: CardFormProps) {
  const [card, setCard] = useState(emptyCard);
  const [apiErrors, setApiErrors] = useState<readonly string[]>([]);
  const [focused, setFocused] = useState<CardField | null>(null);
  const [left, setLeft] = useState<readonly CardField[]>([]);
  const form = useRef<HTMLFormElement>(null);
  const lineId = useId();

  const startOver = (errors: readonly string[]) => {
    setCard(emptyCard);
    setLeft([]);
    setApiErrors(errors);
    form.current?.querySelector("input")?.focus();
  };
  const charging = useMutation({
    mutationFn: onSubmit,
    onSuccess: (answer) => startOver(answer.apiErrors ?? []),
    onError: () => startOver([]),
  });

  const isComplete = cardFields.every((field) => isCardFieldValid(field, card[field]));
  const wrong = firstWrong(
    card,
    left.filter((field) => field !== focused),
  );
  const inputFor = (field: CardField) => ({
    field,
    value: card[field],
    errorId: wrong === field ? lineId : undefined,
    onChange: (masked: string) => {
      setCard({ ...card, [field]: masked });
      setFocused(field);
      setApiErrors([]);
    },
    onFocus: () => setFocused(field),
    onLeave: () => {
      setFocused(null);
      setLeft([...left, field]);
    },
    // Enter asks what is missing: the button cannot be pressed then.
    onEnter: () => {
      setFocused(null);
      setLeft(cardFields);
    },
  });
  const handleSubmit = (event: SyntheticEvent) => {
    event.preventDefault();
    if (isComplete && !charging.isPending) charging.mutate(card);
  };

  return (
    <form ref={form} className={css["card"]} aria-label="Card" noValidate onSubmit={handleSubmit}>
      <Brandmarks brands={brandmarks} />
      {testMode && <Muted small>Test mode: no money moves.</Muted>}
      <CardInput label="Card number" autoComplete="cc-number" {...inputFor("cardNumber")} />
      <div className={css["pair"]}>
        <CardInput label="Card code" autoComplete="cc-csc" {...inputFor("cardCode")} />
        <CardInput
          label="Expiration"
          autoComplete="cc-exp"
          placeholder="MM/YY"
          {...inputFor("expDate")}
        />
      </div>
      <SubmitButton pending={charging.isPending} disabled={!isComplete && !charging.isPending}>
        {`Pay ${formatMoney(amount)}`}
      </SubmitButton>
      <p id={lineId} role="alert" className={css["line"]}>
        {apiErrors.length > 0 ? apiErrors.join(" ") : wrong && cardMessages[wrong]}
      </p>
    </form>
  );
}

/**
 * The first field whose message may show: what is typed in it can no longer become valid, or it was
 * left without being valid. Nobody is told off while typing on, nor for an untouched form.
 */
function firstWrong(card: Card, left: readonly CardField[]): CardField | undefined {
  const isUntouched = cardFields.every((field) => card[field] === "");
  return cardFields.find(
    (field) =>
      !isCardFieldValid(field, card[field]) &&
      (!canBecomeValid(field, card[field]) || (left.includes(field) && !isUntouched)),
  );
}
