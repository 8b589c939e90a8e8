import { useId } from "react";
import css from "./Field.module.css";
import { Field, type FieldProps } from "./Field.tsx";
import { VisuallyHidden } from "./layout.tsx";

interface Option<Value extends string> {
  value: Value;
  label: string;
  hint?: string;
}

/** One checkbox. */
export function CheckboxField({
  label,
  value,
  onChange,
  error,
  hint,
  id,
  name,
}: FieldProps<boolean>) {
  const ownId = useId();
  const describedBy = `${id ?? ownId}-says`;
  return (
    <div className={css["field"]} data-invalid={error ? "" : undefined}>
      <label className={css["choice"]}>
        <input
          type="checkbox"
          id={id ?? ownId}
          name={name}
          checked={value}
          aria-invalid={error ? true : undefined}
          aria-describedby={error || hint ? describedBy : undefined}
          onChange={(event) => onChange(event.target.checked)}
        />
        {label}
      </label>
      {(error ?? hint) && (
        <span id={describedBy} className={error ? css["error"] : css["hint"]}>
          {error ?? hint}
        </span>
      )}
    </div>
  );
}

interface RadioFieldProps<Value extends string> extends FieldProps<Value> {
  options: readonly Option<Value>[];
  /** Show short options side by side. */
  inline?: boolean;
}

/** One of a few options, all visible. */
export function RadioField<Value extends string>(props: RadioFieldProps<Value>) {
  const { label, labelHidden, value, onChange, error, hint, id, name, options, inline } = props;
  const ownId = useId();
  const firstId = id ?? ownId;
  const errorId = error && `${firstId}-error`;
  return (
    <fieldset
      className={css["field"]}
      data-invalid={error ? "" : undefined}
      aria-describedby={errorId}
    >
      <legend className={css["label"]}>
        {labelHidden ? <VisuallyHidden>{label}</VisuallyHidden> : label}
      </legend>
      {hint && <span className={css["hint"]}>{hint}</span>}
      {error && (
        <span id={errorId} className={css["error"]}>
          {error}
        </span>
      )}
      <div className={inline ? `${css["group"]} ${css["inline"]}` : css["group"]}>
        {options.map((option, index) => (
          <label key={option.value} className={css["choice"]}>
            <input
              type="radio"
              id={index === 0 ? firstId : undefined}
              name={name ?? ownId}
              checked={value === option.value}
              onChange={() => onChange(option.value)}
            />
            <span>
              {option.label}
              {option.hint && <span className={css["hint"]}> {option.hint}</span>}
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}

interface SelectFieldProps<Value extends string> extends FieldProps<Value> {
  /** For an optional choice, the first option has the value "". */
  options: readonly Option<Value>[];
}

/** One of several options, in the browser's own list. For long lists that need a search: SearchSelect. */
export function SelectField<Value extends string>(props: SelectFieldProps<Value>) {
  const { value, onChange, options } = props;
  const choose = (text: string) => {
    const chosen = options.find((option) => option.value === text);
    if (chosen) onChange(chosen.value);
  };
  return (
    <Field {...props}>
      {(control) => (
        <select {...control} value={value} onChange={(event) => choose(event.target.value)}>
          {options.map((option) => (
            <option key={option.value} value={option.value}>
              {option.label}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}
