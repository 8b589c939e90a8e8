import css from "./Field.module.css";
import { Field, type FieldProps } from "./Field.tsx";

/**
 * An amount of money as it is typed, "$" beside it; the label says "in dollars" besides. Commas,
 * spaces and "$" are welcome: `cleanAmount` drops them before the amount is read or sent.
 */
export function AmountField(props: FieldProps<string>) {
  return (
    <Field {...props}>
      {(control) => (
        <span className={css["prefixed"]}>
          <span className={css["prefix"]} aria-hidden="true">
            $
          </span>
          <input
            {...control}
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
