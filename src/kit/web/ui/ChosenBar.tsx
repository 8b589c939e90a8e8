import type { ReactNode } from "react";
import { Button } from "./Button.tsx";
import css from "./ChosenBar.module.css";
import { Muted } from "./layout.tsx";
import { Notice } from "./states.tsx";
import type { Ticks } from "./ticks.tsx";

interface ChosenBarProps<Row> {
  ticks: Ticks<Row>;
  /** How many are chosen, if more than the ticked rows. */
  count?: number;
  /** Text after the number chosen: ", $805.00: 5 debits". */
  about?: ReactNode;
  /** What was done with the previously chosen rows. */
  done: string | null;
  /** Follow-up actions, such as undo. */
  doneActions?: ReactNode;
  /** What went wrong with the chosen rows. */
  problem?: ReactNode;
  /** The actions on all chosen rows. */
  children: ReactNode;
}

/** Below a list with ticked rows: how many, and the actions on them. Stays in view on long lists. */
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

/** Below a form with a list to choose from: the total, and the submit button. */
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
      {`${elsewhere.toLocaleString("en-US")} on other pages. `}
      <Button small kind="quiet" pending={false} onClick={dropElsewhere}>
        Keep only those on this page
      </Button>
    </Muted>
  );
}
