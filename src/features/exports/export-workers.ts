import type { JobContext } from "#jobs/job.ts";
import { type DatabaseLoad, watchDatabaseLoad } from "#features/exports/throttle.ts";
import { prepareNext } from "#features/exports/preparing.ts";

const lookEveryMs = 1_000;
const atOnce = 2;

/**
 * Prepare reports as they are ordered, two at a time, until closed; any number of processes share
 * them. The table is the queue: the job queue would hold a killed worker's report for four hours,
 * and long reports would keep billing and payments from their slots (docs/decisions/010).
 */
export function startExportWorkers(context: JobContext): { close(): Promise<void> } {
  const stopping = new AbortController();
  const others = watchDatabaseLoad(context.db);
  const desks = Array.from({ length: atOnce }, () => work(context, stopping.signal, others));
  return {
    close: async () => {
      stopping.abort();
      others.close();
      await Promise.all(desks);
    },
  };
}

async function work(
  context: JobContext,
  stopping: AbortSignal,
  others: DatabaseLoad,
): Promise<void> {
  let isTold = false;
  while (!stopping.aborted) {
    try {
      const wasThereOne = await prepareNext(context, stopping, others);
      isTold = false;
      if (wasThereOne) continue;
    } catch (problem) {
      if (!isTold) context.log(`Reports cannot be prepared: ${String(problem)}`);
      isTold = true; // once, until it works again
    }
    await pause(lookEveryMs, stopping);
  }
}

function pause(milliseconds: number, stopping: AbortSignal): Promise<void> {
  return new Promise((resume) => {
    const timer = setTimeout(resume, milliseconds);
    stopping.addEventListener("abort", () => {
      clearTimeout(timer);
      resume();
    });
  });
}
