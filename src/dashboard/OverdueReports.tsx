import { ButtonLink } from "#kit/web/ui/Button.tsx";
import css from "./dashboard.module.css";

/** The number of overdue reports, with a link to file them. */
export function OverdueReports({ count }: { count: number }) {
  return (
    <p className={css["reports"]}>
      {count === 1 ? "1 report is overdue" : `${count.toLocaleString("en-US")} reports are overdue`}
      <ButtonLink small to="/dashboard/referrals">
        {count === 1 ? "File it" : "File them"}
      </ButtonLink>
    </p>
  );
}
