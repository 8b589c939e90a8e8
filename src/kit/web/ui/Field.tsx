import { type ReactNode, useId } from "react";
import css from "./Field.module.css";
import { VisuallyHidden } from "./layout.tsx";

/** What every field needs. `useForm` gives all of it except the label: `form.field("name")`. */
export interface FieldProps<Value> {
  label: string;
  value: Value;
  onChange: (value: Value) => void;
  /** The error under the field, saying what to do. Required, so that no field forgets it. */
  error: string | undefined;
  hint?: string;
  /** The id of the control, for links to it. */
  id?: string;
  /** The field's name in the request. */
  name?: string;
  /** Hide the label visually if a heading says the same, as in tables. */
  labelHidden?: boolean;
}

/** What links the control to its label, hint and error. */
interface ControlProps {
  id: string;
  name: string | undefined;
  className: string | undefined;
  "aria-invalid": boolean | undefined;
  "aria-describedby": string | undefined;
}

interface FrameProps {
  label: string;
  error: string | undefined;
  hint?: string;
  id?: string;
  name?: string;
  labelHidden?: boolean;
  children: (control: ControlProps) => ReactNode;
}

/** Label, hint, error and control, in this order. */
export function Field({ label, error, hint, id, name, labelHidden, children }: FrameProps) {
  const ownId = useId();
  const controlId = id ?? ownId;
  const hintId = hint && `${controlId}-hint`;
  const errorId = error && `${controlId}-error`;
  const labelled = (
    <label className={css["label"]} htmlFor={controlId} id={`${controlId}-label`}>
      {label}
    </label>
  );
  return (
    <div className={css["field"]} data-invalid={error ? "" : undefined}>
      {labelHidden ? <VisuallyHidden>{labelled}</VisuallyHidden> : labelled}
      {hint && (
        <span className={css["hint"]} id={hintId}>
          {hint}
        </span>
      )}
      {error && (
        <span className={css["error"]} id={errorId}>
          {error}
        </span>
      )}
      {children({
        id: controlId,
        name,
        className: css["control"],
        "aria-invalid": error ? true : undefined,
        "aria-describedby": [hintId, errorId].filter(Boolean).join(" ") || undefined,
      })}
    </div>
  );
}
