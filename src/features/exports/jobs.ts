import { isLostConnection } from "#db/lost-connection.ts";
import type { Job, OrderedJob } from "#jobs/job.ts";
import { prepareReport } from "#features/exports/prepare-export.ts";
import { removeExpired } from "#features/exports/remove-expired.ts";
import { orderScheduled } from "#features/exports/schedules.ts";
import type { DatabaseLoad } from "#features/exports/throttle.ts";
import { ExportKey, orderForgotten, prepareJob } from "#features/exports/prepare-job.ts";

export const exportJobs: Job[] = [
  {
    name: "order-scheduled-reports",
    cron: "*/5 * * * *",
    atStart: true,
    run: async ({ db, now }) => {
      await orderScheduled(db, now().toString());
      await orderForgotten(db);
    },
  },
  {
    name: "remove-expired-reports",
    cron: "40 8 * * *",
    run: async ({ db, now, dataDir }) => await removeExpired(db, dataDir, now().toString()),
  },
];

/** Prepare each report as it is ordered, two at a time; large ones give way to `others`. */
export function preparingJob(others: DatabaseLoad): OrderedJob {
  let isTold = false;
  return {
    name: prepareJob,
    atOnce: 2,
    run: async (context, about, stopping) => {
      try {
        await prepareReport(context, ExportKey.parse(about), stopping, others);
        isTold = false;
      } catch (problem) {
        const isOrdinary = stopping.aborted || isLostConnection(problem);
        if (!isOrdinary && !isTold) context.log(`Reports cannot be prepared: ${String(problem)}`);
        isTold ||= !isOrdinary; // once, until it works again
        throw problem;
      }
    },
  };
}
