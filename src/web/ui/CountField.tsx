import css from "./Field.module.css";
import { Field, type FieldProps } from "./Field.tsx";

interface CountFieldProps extends FieldProps<string> {
  least: number;
  greatest: number;
}

/** A whole number in the middle of its label, where the label has its N: "every N month(s)". */
export function CountField({ least, greatest, ...props }: CountFieldProps) {
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
            min={least}
            max={greatest}
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
