import { Notice } from "#kit/web/ui/states.tsx";
import { UndoSubscribeAll } from "./UndoSubscribeAll.tsx";

/** A message about the last action, and the batch to undo if it was Subscribe all. */
export interface Done {
  words: string;
  batch?: { id: number; planName: string };
}

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
