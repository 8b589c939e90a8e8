import type { ReactNode } from "react";
import { Muted } from "#kit/web/ui/layout.tsx";
import css from "./rows.module.css";

/** The name of a row, with what tells it from others of the same name below it. */
export function NamedRow({ name, children }: { name: string; children: ReactNode }) {
  return (
    <span className={css["named"]}>
      {name}
      {children && <Muted small>{children}</Muted>}
    </span>
  );
}

export function NoteText({ children }: { children: string }) {
  return children ? <span className={css["note"]}>{children}</span> : <Muted>None</Muted>;
}
