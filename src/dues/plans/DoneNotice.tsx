import { Notice } from "#kit/web/ui/states.tsx";
import { UndoSubscribeAll } from "./UndoSubscribeAll.tsx";

/** What was last done, in words; with the batch by which enrolling many can be undone. */
export interface Done {
  words: string;
  batch?: { id: number; planName: string };
}

/** Says what was done. After Subscribe all, it offers to undo it. */
export function DoneNotice({ done, onDone }: { done: Done | null; onDone: (done: Done) => void }) {
  return (
    <>
      <Notice>{done?.words}</Notice>
      {done?.batch && (
        <div>
          <UndoSubscribeAll
            batchId={done.batch.id}
            planName={done.batch.planName}
            onDone={(words) => onDone({ words })}
          />
        </div>
      )}
    </>
  );
}
