import type { MouseEvent, ReactNode } from "react";
import { Link } from "react-router";
import css from "./Button.module.css";

/** At most one `primary` button per screen; `danger` for actions that cannot be undone. */
type ButtonKind = "primary" | "secondary" | "danger" | "quiet";

interface Look {
  kind?: ButtonKind;
  /** For table rows. */
  small?: boolean;
}

interface ButtonProps extends Look {
  children: ReactNode;
  onClick: () => void;
  /** While true the button reads "Working..." and more presses do nothing. */
  pending: boolean;
  /** Only where the specification disables the button. */
  disabled?: boolean;
  /** What a screen reader says if the visible words need their row: "Adjust Panel dues". */
  label?: string;
  /** For a button that shows and hides what follows it. */
  expanded?: boolean;
}

export function Button(props: ButtonProps) {
  const { children, onClick, pending, disabled, label, expanded, ...look } = props;
  return (
    <button
      type="button"
      className={classOf(look)}
      disabled={disabled}
      aria-disabled={pending || undefined}
      aria-label={label}
      aria-expanded={expanded}
      onClick={() => {
        if (!pending) onClick();
      }}
    >
      {pending ? "Working..." : children}
    </button>
  );
}

interface SubmitButtonProps extends Look {
  children: ReactNode;
  pending: boolean;
  disabled?: boolean;
}

/** Sends its form. Names the action, verb and noun; "Working..." while it runs. */
export function SubmitButton({
  children,
  pending,
  disabled,
  kind = "primary",
  small,
}: SubmitButtonProps) {
  return (
    <button
      type="submit"
      className={classOf({ kind, small })}
      disabled={disabled}
      aria-disabled={pending || undefined}
      onClick={(event: MouseEvent) => {
        if (pending) event.preventDefault();
      }}
    >
      {pending ? "Working..." : children}
    </button>
  );
}

interface ButtonLinkProps extends Look {
  to: string;
  children: ReactNode;
}

/** A link to another screen that looks like a button. */
export function ButtonLink({ to, children, ...look }: ButtonLinkProps) {
  return (
    <Link to={to} className={classOf(look)}>
      {children}
    </Link>
  );
}

function classOf({ kind = "secondary", small = false }: Look): string {
  return [css["button"], css[kind], small && css["small"]].filter(Boolean).join(" ");
}
