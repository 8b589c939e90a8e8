import css from "./Field.module.css";
import { Field, type FieldProps } from "./Field.tsx";

interface CountFieldProps extends FieldProps<string> {
  min: number;
  max: number;
}

/** A whole number inside its label, in place of the N: "every N month(s)". */
export function CountField({ min, max, ...props }: CountFieldProps) {
  const [before, after] = props.label.split(" N ");
  return (
    <Field {...props} labelHidden>
      {(control) => (
        <span className={css["phrase"]}>
          <span aria-hidden="true">{before}</span>
          <input
            {...control}
            type="number"
            inputMode="numeric"
            min={min}
            max={max}
            value={props.value}
            autoComplete="off"
            onFocus={(event) => event.target.select()}
            onChange={(event) => props.onChange(event.target.value)}
          />
          <span aria-hidden="true">{after}</span>
        </span>
      )}
    </Field>
  );
}
