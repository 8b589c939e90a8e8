import { useSession } from "#kit/web/session.tsx";
import { VisuallyHidden } from "#kit/web/ui/layout.tsx";
import css from "./activity.module.css";
import type { Activity } from "./contract.ts";
import { fieldChanges } from "./shapes.ts";

/** Each changed field: "Phone: (555) 010-4477 → (555) 010-4478". */
export function Changes({ of: { before, after, recordType } }: { of: Activity }) {
  const changes = fieldChanges(before, after, useSession().timeZone);
  if (changes.length === 0) return null;
  return (
    <ul className={`${css["changes"]} ${recordType === "sign-in" ? css["facts"] : ""}`}>
      {changes.map((change) => (
        <li key={change.field}>
          <span className={css["field"]}>{change.field}:</span>{" "}
          {change.before !== undefined && (
            <>
              {change.before === null ? <i>nothing</i> : <del>{change.before}</del>}
              <span aria-hidden="true"> → </span>
              <VisuallyHidden> became </VisuallyHidden>
            </>
          )}
          {change.after === null ? <i>nothing</i> : <span>{change.after}</span>}
        </li>
      ))}
    </ul>
  );
}
