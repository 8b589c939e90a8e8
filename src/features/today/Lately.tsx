import { Link } from "react-router";
import { recordAddress, recordTitle } from "#features/activity/record-words.tsx";
import type { Activity } from "#features/activity/contract.ts";
import { DayText } from "#web/ui/DayText.tsx";
import { Muted, Section } from "#web/ui/layout.tsx";
import { agoWords } from "./attention-words.tsx";
import css from "./today.module.css";

/** The last few changes, by whomever they were made. */
export function Lately({ changes }: { changes: Activity[] }) {
  if (changes.length === 0) return null;
  return (
    <Section title="Lately" actions={<Link to="/admin/activity">All activity</Link>}>
      <ul className={css["lately"]}>
        {changes.map((change) => (
          <li key={change.id}>
            <span>
              {`${change.who} ${change.action}`} <Record of={change} />
            </span>
            <Muted small>{agoWords(change.at, Date.now()) ?? <DayText on={change.at} />}</Muted>
          </li>
        ))}
      </ul>
    </Section>
  );
}

function Record({ of: change }: { of: Activity }) {
  const address = recordAddress(change);
  const title = recordTitle(change);
  return address === null ? title : <Link to={address}>{title}</Link>;
}
