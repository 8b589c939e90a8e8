import type { ChangeEvent, Ref } from "react";
import { type CardField, cardLabels, maskCardField } from "#kit/domain/card.ts";
import { Field } from "#kit/web/ui/Field.tsx";
import type { CardFieldControl } from "./use-card-frame.tsx";
import css from "./CardForm.module.css";

interface CardInputProps {
  field: CardField;
  place: CardFieldControl;
  value: string;
  onChange: (masked: string) => void;
  inputRef?: Ref<HTMLInputElement>;
}

const inputHints: Record<CardField, { autoComplete: string; placeholder?: string }> = {
  cardNumber: { autoComplete: "cc-number" },
  cardCode: { autoComplete: "cc-csc" },
  expDate: { autoComplete: "cc-exp", placeholder: "MM/YY" },
};

/**
 * One input of the card form, masked while typing. Its error appears in the form's error line. It has no
 * name, so nothing can ever post it to our server.
 */
export function CardInput({ field, place, value, onChange, inputRef }: CardInputProps) {
  const handleChange = ({ target }: ChangeEvent<HTMLInputElement>) => {
    const typed = target.value;
    const caret = target.selectionStart ?? typed.length;
    const masked = maskCardField(field, typed);
    // Set here, before React does: React would move the caret to the end.
    target.value = masked;
    const spot =
      caret < typed.length ? placeAfter(digitsIn(typed.slice(0, caret)), masked) : masked.length;
    target.setSelectionRange(spot, spot);
    onChange(masked);
    place.onTyping();
  };
  return (
    <Field label={cardLabels[field]} error={undefined}>
      {(control) => (
        <input
          {...control}
          ref={inputRef}
          className={`${control.className} ${css["digits"]}`}
          aria-invalid={place.errorId ? true : undefined}
          aria-describedby={place.errorId}
          value={value}
          inputMode="numeric"
          {...inputHints[field]}
          spellCheck={false}
          onChange={handleChange}
          onFocus={place.onFocus}
          onBlur={place.onLeave}
          onKeyDown={(event) => event.key === "Enter" && place.onEnter()}
        />
      )}
    </Field>
  );
}

function digitsIn(text: string): number {
  return text.replace(/\D/g, "").length;
}

/** The position right after the given number of digits. */
function placeAfter(digits: number, text: string): number {
  let place = 0;
  for (let seen = 0; seen < digits && place < text.length; place += 1) {
    if (/\d/.test(text.charAt(place))) seen += 1;
  }
  return place;
}
