import { Link } from "react-router";
import { recordAddress, recordTitle } from "#office/activity/record-words.tsx";
import { actionAfterName } from "#office/activity/shapes.ts";
import type { Activity } from "#office/activity/contract.ts";
import { DayText } from "#kit/web/ui/DayText.tsx";
import { Muted, Section } from "#kit/web/ui/layout.tsx";
import { agoWords } from "./attention-words.tsx";
import css from "./today.module.css";
import { useNow } from "./use-now.tsx";

/** The last few changes, by anyone. */
export function RecentActivity({ changes }: { changes: Activity[] }) {
  if (changes.length === 0) return null;
  return (
    <Section title="Recent activity" actions={<Link to="/admin/activity">All activity</Link>}>
      <ul className={css["lately"]}>
        {changes.map((change) => (
          <li key={change.id}>
            {`${change.who} ${actionBefore(recordTitle(change), actionAfterName(change.action))}`}{" "}
            <Record of={change} />
            <Muted>
              {" · "}
              <Ago at={change.at} />
            </Muted>
          </li>
        ))}
      </ul>
    </Section>
  );
}

function Ago({ at }: { at: string }) {
  const words = agoWords(at, useNow());
  return words === null ? <DayText on={at} /> : <time dateTime={at}>{words}</time>;
}

function Record({ of: change }: { of: Activity }) {
  const address = recordAddress(change);
  const title = recordTitle(change);
  return address === null ? title : <Link to={address}>{title}</Link>;
}

/** Avoids saying "check" twice in "approved check" with "Check 1020 of $50.00"; same for card payments. */
function actionBefore(title: string, action: string): string {
  const words = action.split(" ");
  const begun = title.toLowerCase();
  const said = words.findIndex((_, at) => begun.startsWith(`${words.slice(at).join(" ")} `));
  return said > 0 ? words.slice(0, said).join(" ") : action;
}
