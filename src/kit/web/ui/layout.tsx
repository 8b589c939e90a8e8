import { type ReactNode, useId } from "react";
import css from "./layout.module.css";

/** The steps of space, in pixels. */
export type Gap = 4 | 8 | 12 | 16 | 24 | 32 | 48;

/** Elements below each other. */
export function Stack({ gap = 16, children }: { gap?: Gap; children: ReactNode }) {
  return <div className={`${css["stack"]} ${css[`gap${gap}`]}`}>{children}</div>;
}

/** Elements side by side, which wrap if there is no room. */
export function Row({
  gap = 8,
  align = "center",
  children,
}: {
  gap?: Gap;
  align?: "start" | "center" | "end";
  children: ReactNode;
}) {
  return (
    <div className={`${css["row"]} ${css[`gap${gap}`]}`} data-align={align}>
      {children}
    </div>
  );
}

/** A list's filters side by side; not printed. `many`: two in a row on a phone. */
export function Filters({ many = false, children }: { many?: boolean; children: ReactNode }) {
  return <div className={`${css["filters"]} ${many ? css["many"] : ""} actions`}>{children}</div>;
}

/** A part of a screen under its own heading, with a line above it. */
export function Section({
  title,
  actions,
  onScreenOnly = false,
  children,
}: {
  title: string;
  actions?: ReactNode;
  /** It holds only a form, so it is not printed. */
  onScreenOnly?: boolean;
  children: ReactNode;
}) {
  const id = useId();
  return (
    <section
      className={`${css["section"]} ${onScreenOnly ? css["onScreenOnly"] : ""}`}
      aria-labelledby={id}
    >
      <div className={css["sectionHead"]}>
        <h2 id={id}>{title}</h2>
        {actions && <div className="actions">{actions}</div>}
      </div>
      {children}
    </section>
  );
}

/** A form and the list that it adds to, side by side where there is room. */
export function SideBySide({ children }: { children: ReactNode }) {
  return <div className={css["sideBySide"]}>{children}</div>;
}

/** Secondary text. */
export function Muted({ small = false, children }: { small?: boolean; children: ReactNode }) {
  return <span className={`${css["muted"]} ${small ? css["small"] : ""}`}>{children}</span>;
}

/** Text only for screen readers. */
export function VisuallyHidden({ children }: { children: ReactNode }) {
  return <span className={css["hidden"]}>{children}</span>;
}
