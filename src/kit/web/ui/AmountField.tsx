import type { WheelEvent } from "react";
import css from "./Field.module.css";
import { Field, type FieldProps } from "./Field.tsx";

interface AmountFieldProps extends FieldProps<string> {
  /** Use the browser's number input, in steps of a cent, where the specification asks for it. */
  stepped?: boolean;
}

/**
 * An amount as typed, with "$" beside it; the label also says "in dollars". Commas, spaces and "$" are accepted:
 * `cleanAmount` drops them before the amount is read or sent.
 */
export function AmountField({ stepped = false, ...props }: AmountFieldProps) {
  return (
    <Field {...props}>
      {(control) => (
        <span className={css["prefixed"]}>
          <span className={css["prefix"]} aria-hidden="true">
            $
          </span>
          <input
            {...control}
            {...(stepped
              ? { type: "number", step: "0.01", min: "0.01", onWheel: blurOnWheel }
              : {})}
            value={props.value}
            inputMode="decimal"
            autoComplete="off"
            onFocus={(event) => event.target.select()}
            onChange={(event) => props.onChange(event.target.value)}
          />
        </span>
      )}
    </Field>
  );
}

/** Scrolling the page must not change an amount. */
function blurOnWheel(event: WheelEvent<HTMLInputElement>): void {
  event.currentTarget.blur();
}
