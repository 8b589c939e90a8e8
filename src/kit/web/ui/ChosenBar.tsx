import type { ReactNode } from "react";
import { Button } from "./Button.tsx";
import css from "./ChosenBar.module.css";
import { Muted } from "./layout.tsx";
import { Notice } from "./states.tsx";
import type { Ticks } from "./ticks.tsx";

interface ChosenBarProps<Row> {
  ticks: Ticks<Row>;
  /** How many are chosen, where that is more than those that are ticked. */
  count?: number;
  /** What is chosen beyond its number: ", $805.00: 5 debits". */
  about?: ReactNode;
  /** What was done with the rows that were chosen before. */
  done: string | null;
  /** What can be done about that, such as undoing it. */
  doneActions?: ReactNode;
  /** What went wrong with those that are chosen. */
  problem?: ReactNode;
  /** What can be done with all of them at once. */
  children: ReactNode;
}

/** Below a list whose rows are ticked: how many, and what can be done with them. In view however long the list is. */
export function ChosenBar<Row>(props: ChosenBarProps<Row>) {
  const { ticks, about, done, doneActions, problem, children } = props;
  const { count = ticks.chosen.length } = props;
  const isAny = count > 0;
  return (
    <div className={css["bar"]} data-chosen={isAny} data-done={done !== null}>
      <Notice>{isAny ? null : done}</Notice>
      {!isAny && doneActions}
      {isAny && problem}
      {isAny && (
        <div className={css["actions"]}>
          <output className={css["chosen"]}>
            <span>
              <strong>{`${count.toLocaleString("en-US")} chosen`}</strong>
              {about}
            </span>
            {count === ticks.chosen.length && <Elsewhere ticks={ticks} />}
          </output>
          <Button kind="quiet" pending={false} onClick={ticks.clear}>
            Clear
          </Button>
          {children}
        </div>
      )}
    </div>
  );
}

/** Below a form with a list to choose from: what it comes to, and the button that sends it. */
export function FormBar<Row>({ ticks, about, children }: FormBarProps<Row>) {
  return (
    <div className={css["bar"]} data-chosen>
      <div className={css["actions"]}>
        <output className={css["chosen"]}>
          <strong>{about}</strong>
          <Elsewhere ticks={ticks} />
        </output>
        {children}
      </div>
    </div>
  );
}

interface FormBarProps<Row> {
  ticks: Ticks<Row>;
  about: string;
  children: ReactNode;
}

function Elsewhere<Row>({ ticks: { elsewhere, dropElsewhere } }: { ticks: Ticks<Row> }) {
  if (elsewhere === 0) return null;
  return (
    <Muted small>
      {`${elsewhere.toLocaleString("en-US")} of them not on this page. `}
      <Button small kind="quiet" pending={false} onClick={dropElsewhere}>
        Keep those on this page
      </Button>
    </Muted>
  );
}
