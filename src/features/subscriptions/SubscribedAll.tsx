import { useState } from "react";
import { Button } from "#web/ui/Button.tsx";
import { Row } from "#web/ui/layout.tsx";
import { Notice } from "#web/ui/states.tsx";
import type { Plan } from "./contract.ts";
import { SubscribeAllDialog } from "./SubscribeAllDialog.tsx";
import { UndoSubscribeAll } from "./UndoSubscribeAll.tsx";

/** What was last done with a plan, in words; with the batch by which it can be undone. */
export interface Done {
  words: string;
  batch?: { id: number; planName: string };
}

/** Says what was done. After Subscribe all, it offers to undo it. */
export function DoneNotice({ done, onDone }: { done: Done | null; onDone: (done: Done) => void }) {
  return (
    <Row>
      <Notice>{done?.words}</Notice>
      {done?.batch && (
        <UndoSubscribeAll
          batchId={done.batch.id}
          planName={done.batch.planName}
          onDone={(words) => onDone({ words })}
        />
      )}
    </Row>
  );
}

/** Opens the dialog that enrols everybody. */
export function SubscribeAllButton({
  plan,
  small = false,
  onDone,
}: {
  plan: Plan;
  small?: boolean;
  /** Called with null as it opens, so that what was done before is said no more. */
  onDone: (done: Done | null) => void;
}) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button
        small={small}
        pending={false}
        label={`Subscribe all lawyers to ${plan.name}`}
        onClick={() => {
          onDone(null);
          setOpen(true);
        }}
      >
        Subscribe all lawyers
      </Button>
      {isOpen && (
        <SubscribeAllDialog
          plan={plan}
          onClose={() => setOpen(false)}
          onDone={(done) => {
            setOpen(false);
            onDone(done);
          }}
        />
      )}
    </>
  );
}
