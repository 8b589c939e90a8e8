import { type MouseEvent, useEffect, useRef } from "react";
import css from "./form.module.css";
import type { Problem } from "./use-form.tsx";

/** Lists at the top of a form what is wrong, takes focus, and links to each field. */
export function FormErrors({ problems }: { problems: readonly Problem[] }) {
  const summary = useRef<HTMLDivElement>(null);
  useEffect(() => summary.current?.focus(), []);
  return (
    <div ref={summary} className={css["problems"]} role="alert" tabIndex={-1}>
      <h2>There is a problem</h2>
      <ul>
        {problems.map(({ message, fieldId }) => (
          <li key={message}>
            {fieldId ? (
              <a href={`#${fieldId}`} onClick={goToField}>
                {message}
              </a>
            ) : (
              message
            )}
          </li>
        ))}
      </ul>
    </div>
  );
}

/** Focus the field. Following the link would only scroll to it and change the address. */
function goToField(event: MouseEvent<HTMLAnchorElement>): void {
  event.preventDefault();
  document.getElementById(event.currentTarget.hash.slice(1))?.focus();
}
