import type { ReactNode, SyntheticEvent } from "react";
import {
  type UnsavedScope,
  UnsavedScopeProvider,
  useUnsavedChanges,
} from "#kit/web/unsaved-changes.tsx";
import { FormErrors } from "./FormErrors.tsx";
import { listenToEnter } from "./form-keys.tsx";
import css from "./form.module.css";
import type { Problem } from "./use-form.tsx";

interface FormProps {
  /** The result of `useForm`. */
  form: {
    round: number;
    scope: UnsavedScope;
    isUnsaved: boolean;
    problems: readonly Problem[];
    attempt: number;
    handleSubmit: (event: SyntheticEvent<HTMLFormElement>) => void;
  };
  /** The form's name, if the screen has several. */
  label?: string;
  /** For a form with a table: as wide as the page. */
  wide?: boolean;
  /** For forms filled in one after another: Enter goes to the next field, Ctrl+Enter sends. */
  enterGoesOn?: boolean;
  children: ReactNode;
}

/** A one-column form with an error summary at the top. Leaving it unsaved asks first. */
export function Form({ form, label, wide = false, enterGoesOn = false, children }: FormProps) {
  return (
    <UnsavedScopeProvider scope={form.scope}>
      <Typed isUnsaved={form.isUnsaved} />
      <form
        key={form.round}
        ref={enterGoesOn ? listenToEnter : undefined}
        className={wide ? `${css["form"]} ${css["wide"]}` : css["form"]}
        aria-label={label}
        noValidate
        onSubmit={form.handleSubmit}
      >
        {form.problems.length > 0 && <FormErrors key={form.attempt} problems={form.problems} />}
        {children}
      </form>
    </UnsavedScopeProvider>
  );
}

/** Registers unsaved changes inside the form's scope. */
function Typed({ isUnsaved }: { isUnsaved: boolean }) {
  useUnsavedChanges(isUnsaved);
  return null;
}
