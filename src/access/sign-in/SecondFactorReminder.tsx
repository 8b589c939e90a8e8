import { Link } from "react-router";
import { useSession } from "#kit/web/session.tsx";
import { DayText } from "#kit/web/ui/DayText.tsx";
import { Warning } from "#kit/web/ui/states.tsx";

/** Above every page of an administrator who must set up a second factor, and has not yet. */
export function SecondFactorReminder() {
  const { secondFactorDueAt, lacksSecondFactor, networkName } = useSession();
  if (secondFactorDueAt === null) return null;
  return (
    <div className="actions">
      <Warning
        title={
          lacksSecondFactor
            ? "Set up a second factor to go on"
            : "Set up a second factor for signing in"
        }
        tone={lacksSecondFactor ? "bad" : "waiting"}
      >
        <p>
          {networkName} requires one of its administrators, beside the password.{" "}
          {lacksSecondFactor ? (
            "Everything else is closed to you until you have one."
          ) : (
            <>
              You have until <DayText on={secondFactorDueAt} />; after that everything else is
              closed to you. <Link to="/account/security">Set one up now</Link>
            </>
          )}
        </p>
      </Warning>
    </div>
  );
}
