import { Link } from "react-router";
import type { Attorney } from "#people/contract.ts";
import { LateMark } from "#referrals/matters/ReportDue.tsx";
import { DayText } from "#kit/web/ui/DayText.tsx";
import { Muted } from "#kit/web/ui/layout.tsx";
import { Warning } from "#kit/web/ui/states.tsx";
import css from "./attorney-record.module.css";

/** Why an attorney is suspended and which reports must be filed to lift it. Source: domain rules §6. */
export function SuspensionCause({ attorney }: { attorney: Attorney }) {
  const { suspendedAt, suspensionReason, referrals } = attorney;
  if (suspendedAt === null) return null;
  const { late, mustFile } = referrals;
  return (
    <Warning tone="bad" title="Suspended for overdue reports">
      <p>{suspensionReason}</p>
      {late.length > 0 && (
        <ul className={css["causes"]}>
          {late.map(({ id, name, reportDueOn }) => (
            <li key={id}>
              <Link to={`/admin/matters/${id}`}>{name}</Link>
              <span>
                report due <DayText on={reportDueOn} />
              </span>
              <LateMark dueOn={reportDueOn} />
            </li>
          ))}
          {mustFile > late.length && (
            <li>
              <Link to="?view=referrals&status=overdue">
                {`and ${(mustFile - late.length).toLocaleString("en-US")} more`}
              </Link>
            </li>
          )}
        </ul>
      )}
      <Muted small>
        Since <DayText on={suspendedAt} />. {liftingWords(mustFile)}
      </Muted>
    </Warning>
  );
}

function liftingWords(mustFile: number): string {
  if (mustFile === 1) return "The suspension ends automatically once this report is filed.";
  return mustFile === 0
    ? "The suspension ends automatically once these reports are filed."
    : `The suspension ends automatically once these ${mustFile.toLocaleString("en-US")} reports are filed.`;
}
