import { useMutation } from "@tanstack/react-query";
import { type SyntheticEvent, useId, useRef, useState } from "react";
import { type CardField, cardFields, cardMessages } from "#kit/domain/card.ts";
import { useUnsavedChanges } from "#kit/web/unsaved-changes.tsx";
import type { CardRead, ProcessorFormProps } from "#cards/processors/processor-form.tsx";

/** The state of a card field, as far as the page may know it. */
export interface FieldState {
  isEmpty: boolean;
  isValid: boolean;
  /** Whether more typing could make it valid: no error is shown in the middle of a number. */
  canBecomeValid: boolean;
}

export type CardFieldStates = Record<CardField, FieldState>;

export const emptyField: FieldState = { isEmpty: true, isValid: false, canBecomeValid: true };

export interface CardFieldControl {
  /** The id of the error line, if it shows this field's error. */
  errorId: string | undefined;
  onTyping: () => void;
  onFocus: () => void;
  onLeave: () => void;
  /** Enter was pressed: show what is missing, since the button is disabled then. */
  onEnter: () => void;
}

interface FrameOptions extends Pick<ProcessorFormProps, "pay" | "onPaid"> {
  fieldStates: CardFieldStates;
  /** Whether the processor's own fields can be used; ours always can. */
  isReady?: boolean;
  /** Has the processor turn the card into a token. */
  read: () => Promise<CardRead>;
  /** Empties the fields and moves the cursor back to the first one. */
  startOver: () => void;
}

/**
 * The behaviour that all card forms share: when the button works, the error line, ignoring a second press,
 * and emptying the fields after every attempt. Source: spec §2 "Card form", §4, §5.
 */
export function useCardFrame(options: FrameOptions) {
  const { fieldStates, isReady = true, read, startOver, pay, onPaid } = options;
  const [apiErrors, setApiErrors] = useState<readonly string[]>([]);
  const [focused, setFocused] = useState<CardField | null>(null);
  const [left, setLeft] = useState<readonly CardField[]>([]);
  const isBusy = useRef(false);
  const lineId = useId();

  const finish = (errors: readonly string[]) => {
    isBusy.current = false;
    setLeft([]);
    setApiErrors(errors);
    startOver();
  };
  const charging = useMutation({
    mutationFn: async () => {
      const made = await read();
      return "token" in made ? { paid: await pay(made.token), apiErrors: [] } : made;
    },
    onSuccess: (outcome) => {
      finish(outcome.apiErrors);
      if ("paid" in outcome) onPaid(outcome.paid);
    },
    onError: (error) => finish([error.message]),
  });

  const isUntouched = cardFields.every((field) => fieldStates[field].isEmpty);
  useUnsavedChanges(!isUntouched && !charging.isPending);

  const canPay = isReady && cardFields.every((field) => fieldStates[field].isValid);
  const wrong = firstWrong(
    fieldStates,
    left.filter((field) => field !== focused),
  );
  return {
    lineId,
    line: apiErrors.length > 0 ? apiErrors.join(" ") : (wrong && cardMessages[wrong]) || "",
    canPay,
    pending: charging.isPending,
    handleSubmit: (event: SyntheticEvent) => {
      event.preventDefault();
      if (!canPay || isBusy.current) return; // two presses may come before the page is redrawn
      isBusy.current = true;
      charging.mutate();
    },
    place: (field: CardField): CardFieldControl => ({
      errorId: wrong === field ? lineId : undefined,
      onTyping: () => {
        setFocused(field);
        setApiErrors([]);
      },
      onFocus: () => setFocused(field),
      onLeave: () => {
        setFocused((before) => (before === field ? null : before));
        setLeft((before) => [...before, field]);
      },
      onEnter: () => {
        setFocused(null);
        setLeft(cardFields);
      },
    }),
  };
}

/**
 * The first field whose message may show: it can no longer become valid, or it was left while not valid. No
 * error shows during typing or on an untouched form.
 */
function firstWrong(
  fieldStates: CardFieldStates,
  left: readonly CardField[],
): CardField | undefined {
  const isUntouched = cardFields.every((field) => fieldStates[field].isEmpty);
  return cardFields.find((field) => {
    const { isValid, canBecomeValid } = fieldStates[field];
    return !isValid && (!canBecomeValid || (left.includes(field) && !isUntouched));
  });
}
