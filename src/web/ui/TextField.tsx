import type { HTMLInputAutoCompleteAttribute, HTMLInputTypeAttribute } from "react";
import css from "./Field.module.css";
import { Field, type FieldProps } from "./Field.tsx";

interface TextFieldProps extends FieldProps<string> {
  type?: Extract<HTMLInputTypeAttribute, "text" | "email" | "password" | "tel">;
  autoComplete?: HTMLInputAutoCompleteAttribute;
  inputMode?: "numeric" | "decimal";
  placeholder?: string;
  /** As wide as a number, a zip code or a check number. */
  narrow?: boolean;
}

/** One line of text. */
export function TextField(props: TextFieldProps) {
  const {
    value,
    onChange,
    type = "text",
    autoComplete = "off",
    inputMode,
    placeholder,
    narrow,
  } = props;
  return (
    <Field {...props}>
      {(control) => (
        <input
          {...control}
          className={narrow ? `${control.className} ${css["narrow"]}` : control.className}
          type={type}
          value={value}
          autoComplete={autoComplete}
          inputMode={inputMode}
          placeholder={placeholder}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  );
}

/** Several lines of text: notes and descriptions. */
export function TextArea(props: FieldProps<string>) {
  return (
    <Field {...props}>
      {(control) => (
        <textarea
          {...control}
          value={props.value}
          onChange={(event) => props.onChange(event.target.value)}
        />
      )}
    </Field>
  );
}
