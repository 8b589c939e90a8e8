import { useState } from "react";
import { ExportThese } from "#list/ExportThese.tsx";
import type { Done } from "#features/subscriptions/DoneNotice.tsx";
import { UndoSubscribeAll } from "#features/subscriptions/UndoSubscribeAll.tsx";
import { Button } from "#web/ui/Button.tsx";
import { ChosenBar } from "#web/ui/ChosenBar.tsx";
import { attorneysWords } from "#features/attorneys/attorney-words.tsx";
import { ChargeDialog } from "#features/attorneys/ChargeDialog.tsx";
import { InviteChosenDialog } from "./InviteChosenDialog.tsx";
import { PutOnPlanDialog } from "./PutOnPlanDialog.tsx";
import { RemindDialog } from "./RemindDialog.tsx";
import type { Chosen } from "./use-chosen-attorneys.tsx";

export type Action = "enrol" | "charge" | "remind" | "invite";

interface ChosenActionsProps {
  chosen: Chosen;
  /** Whose dialog is open. */
  action: Action | null;
  onAction: (action: Action | null) => void;
}

/** What can be done for those who are chosen, and what was done. */
export function ChosenActions({ chosen, action, onAction }: ChosenActionsProps) {
  const { ticks, count, whom, isAllThatMatch } = chosen;
  const [done, setDone] = useState<Done | null>(null);
  const open = (wanted: Action) => {
    setDone(null);
    onAction(wanted);
  };
  const dialog = {
    whom,
    count,
    onClose: () => onAction(null),
    onDone: (result: Done) => {
      ticks.clear();
      setDone(result);
      onAction(null);
    },
  };
  return (
    <>
      <ChosenBar
        ticks={ticks}
        count={count}
        about={<AllThatMatch chosen={chosen} />}
        done={done?.words ?? null}
        doneActions={
          done?.batch && (
            <div>
              <UndoSubscribeAll
                what="subscribing several"
                batchId={done.batch.id}
                planName={done.batch.planName}
                onDone={(words) => setDone({ words })}
              />
            </div>
          )
        }
      >
        <Button pending={false} onClick={() => open("enrol")}>
          Put on a plan
        </Button>
        <Button pending={false} onClick={() => open("charge")}>
          {`Charge ${attorneysWords(count)}`}
        </Button>
        <Button pending={false} onClick={() => open("remind")}>
          Remind
        </Button>
        <Button pending={false} onClick={() => open("invite")}>
          Invite
        </Button>
        {whom.attorney_ids && (
          <ExportThese
            reportType="attorneys"
            label="Export"
            filters={{ ids: whom.attorney_ids.join(",") }}
          />
        )}
      </ChosenBar>
      {action === "enrol" && <PutOnPlanDialog {...dialog} />}
      {action === "remind" && <RemindDialog {...dialog} />}
      {action === "invite" && <InviteChosenDialog {...dialog} />}
      {action === "charge" && (
        <ChargeDialog
          chosen={isAllThatMatch ? [] : ticks.chosen}
          {...(whom.filters && { matching: { filters: whom.filters, count } })}
          onClose={dialog.onClose}
          onDone={(words) => dialog.onDone({ words })}
        />
      )}
    </>
  );
}

/** Where all of a page are ticked: that there are more who match, and a press chooses them too. */
function AllThatMatch({ chosen }: { chosen: Chosen }) {
  const { isAllThatMatch, couldBeAll, chooseAllThatMatch } = chosen;
  if (isAllThatMatch) return ": all that match these filters";
  if (couldBeAll === null) return null;
  return (
    <>
      {" "}
      <Button small kind="quiet" pending={false} onClick={chooseAllThatMatch}>
        {`Choose all ${couldBeAll.toLocaleString("en-US")} that match`}
      </Button>
    </>
  );
}
