import { Link } from "react-router";
import { useSession } from "#kit/web/session.tsx";
import { DayText } from "#kit/web/ui/DayText.tsx";
import { Warning } from "#kit/web/ui/states.tsx";

/** Shown above every page of an administrator who still has to set up a second factor. */
export function SecondFactorReminder() {
  const { secondFactorDueAt, lacksSecondFactor, networkName } = useSession();
  if (secondFactorDueAt === null) return null;
  return (
    <div className="actions">
      <Warning
        title={
          lacksSecondFactor
            ? "Set up a second factor to continue"
            : "Set up a second factor for signing in"
        }
        tone={lacksSecondFactor ? "bad" : "waiting"}
      >
        <p>
          {networkName} requires administrators to have one in addition to the password.{" "}
          {lacksSecondFactor ? (
            "You can do nothing else until you have one."
          ) : (
            <>
              You have until <DayText on={secondFactorDueAt} />. After that, you can do nothing else
              until you have one. <Link to="/account/security">Set one up now</Link>
            </>
          )}
        </p>
      </Warning>
    </div>
  );
}
