import type { ReactNode } from "react";
import css from "./Disclosure.module.css";

/** What only some need to read, behind a line that says what it is. */
export function Disclosure({ summary, children }: { summary: string; children: ReactNode }) {
  return (
    <details className={css["disclosure"]}>
      <summary>{summary}</summary>
      <div className={css["content"]}>{children}</div>
    </details>
  );
}
