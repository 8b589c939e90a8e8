import type { ReactNode } from "react";
import css from "./Disclosure.module.css";

/** Details that only some people need, behind a summary line. */
export function Disclosure({ summary, children }: { summary: string; children: ReactNode }) {
  return (
    <details className={css["disclosure"]}>
      <summary>{summary}</summary>
      <div className={css["content"]}>{children}</div>
    </details>
  );
}
