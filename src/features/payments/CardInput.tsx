import type { ChangeEvent } from "react";
import { type CardField, maskCardField } from "#domain/card.ts";
import { Field } from "#web/ui/Field.tsx";
import css from "./CardForm.module.css";

interface CardInputProps {
  field: CardField;
  label: string;
  autoComplete: "cc-number" | "cc-csc" | "cc-exp";
  placeholder?: string;
  value: string;
  /** The id of the line that says what is wrong with this field. */
  errorId: string | undefined;
  onChange: (masked: string) => void;
  onFocus: () => void;
  onLeave: () => void;
  onEnter: () => void;
}

/** One input of the card form, masked as one types. Its error stands in the form's one line. */
export function CardInput(props: CardInputProps) {
  const { field, label, autoComplete, placeholder, value, errorId } = props;
  const handleChange = ({ target }: ChangeEvent<HTMLInputElement>) => {
    const typed = target.value;
    const caret = target.selectionStart ?? typed.length;
    const masked = maskCardField(field, typed);
    // Written here, before React does: it would put the caret at the end.
    target.value = masked;
    const place =
      caret < typed.length ? placeAfter(digitsIn(typed.slice(0, caret)), masked) : masked.length;
    target.setSelectionRange(place, place);
    props.onChange(masked);
  };
  return (
    <Field label={label} error={undefined}>
      {(control) => (
        <input
          {...control}
          className={`${control.className} ${css["digits"]}`}
          aria-invalid={errorId ? true : undefined}
          aria-describedby={errorId}
          value={value}
          inputMode="numeric"
          autoComplete={autoComplete}
          placeholder={placeholder}
          spellCheck={false}
          onChange={handleChange}
          onFocus={props.onFocus}
          onBlur={props.onLeave}
          onKeyDown={(event) => event.key === "Enter" && props.onEnter()}
        />
      )}
    </Field>
  );
}

function digitsIn(text: string): number {
  return text.replace(/\D/g, "").length;
}

/** The place in the text right after so many of its digits. */
function placeAfter(digits: number, text: string): number {
  let place = 0;
  for (let seen = 0; seen < digits && place < text.length; place += 1) {
    if (/\d/.test(text.charAt(place))) seen += 1;
  }
  return place;
}
