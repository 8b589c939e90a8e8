import type { ReactNode } from "react";
import { Muted } from "#kit/web/ui/layout.tsx";
import css from "./rows.module.css";

/** A row's name, with text below it to tell it from rows of the same name. */
export function NamedRow({ name, children }: { name: string; children: ReactNode }) {
  return (
    <span className={css["named"]}>
      {name}
      {children && <Muted small>{children}</Muted>}
    </span>
  );
}

export function NoteText({ children }: { children: string }) {
  return children ? <span className={css["note"]}>{children}</span> : <Muted>Not provided</Muted>;
}
