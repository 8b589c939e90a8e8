import { useRef, useState } from "react";
import {
  canBecomeValid,
  type Card,
  type CardField,
  emptyCard,
  isCardFieldValid,
} from "#kit/domain/card.ts";
import type { Day } from "#kit/domain/day.ts";
import { useToday } from "#kit/web/session.tsx";
import { type FieldState, useCardFrame } from "./use-card-frame.tsx";
import { CardFrame } from "./CardFrame.tsx";
import { CardInput } from "./CardInput.tsx";
import type { CardRead, ProcessorFormProps } from "#cards/processors/processor-form.tsx";

interface CardFormProps extends ProcessorFormProps {
  /** Has the processor turn the card into a token. */
  read: (card: Card) => Promise<CardRead>;
}

/** The card form with our own inputs. Card data goes only to the processor. */
export function CardForm({ read, ...props }: CardFormProps) {
  const [card, setCard] = useState(emptyCard);
  const today = useToday();
  const first = useRef<HTMLInputElement>(null);
  const frame = useCardFrame({
    ...props,
    fieldStates: {
      cardNumber: fieldStateOf("cardNumber", card, today),
      cardCode: fieldStateOf("cardCode", card, today),
      expDate: fieldStateOf("expDate", card, today),
    },
    read: () => read(card),
    startOver: () => {
      setCard(emptyCard);
      first.current?.focus();
    },
  });
  const inputFor = (field: CardField) => ({
    field,
    place: frame.place(field),
    value: card[field],
    onChange: (masked: string) => setCard((before) => ({ ...before, [field]: masked })),
  });
  return (
    <CardFrame
      {...props}
      frame={frame}
      fields={{
        cardNumber: <CardInput inputRef={first} {...inputFor("cardNumber")} />,
        cardCode: <CardInput {...inputFor("cardCode")} />,
        expDate: <CardInput {...inputFor("expDate")} />,
      }}
    />
  );
}

export function fieldStateOf(field: CardField, card: Card, today: Day): FieldState {
  return {
    isEmpty: card[field] === "",
    isValid: isCardFieldValid(field, card[field], today),
    canBecomeValid: canBecomeValid(field, card[field], today),
  };
}
