import type { WorkerEvents } from "graphile-worker";

/** Keep count of the jobs that a runner does, by what it tells of them. */
export function jobsUnderWay(events: WorkerEvents): { none(): Promise<void> } {
  let count = 0;
  let waiting: (() => void)[] = [];
  const finish = () => {
    count -= 1;
    if (count > 0) return;
    for (const tell of waiting) tell();
    waiting = [];
  };
  events.on("job:start", () => (count += 1));
  events.on("job:complete", finish);
  events.on("worker:fatalError", finish); // instead, when even that could not be noted
  return {
    /** Resolves when there are none. */
    none: () =>
      new Promise((tell) => {
        if (count === 0) tell();
        else waiting.push(tell);
      }),
  };
}
