import type { HTMLInputAutoCompleteAttribute, HTMLInputTypeAttribute } from "react";
import { withoutInvisible } from "#kit/domain/email-text.ts";
import css from "./Field.module.css";
import { Field, type FieldProps } from "./Field.tsx";
import layout from "./layout.module.css";

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
          onChange={({ target }) =>
            onChange(type === "email" ? withoutInvisible(target.value) : target.value)
          }
        />
      )}
    </Field>
  );
}

/**
 * A hidden username field for a form that does not ask for it, so that password managers know which password to
 * fill in or save.
 */
export function HiddenUsername({ email }: { email: string }) {
  return (
    <input
      className={layout["hidden"]}
      type="text"
      name="username"
      autoComplete="username"
      value={email}
      readOnly
      tabIndex={-1}
      aria-hidden="true"
    />
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
