import { isLostConnection } from "#kit/db/lost-connection.ts";
import type { Job, OrderedJob } from "#kit/jobs/job.ts";
import { prepareExport } from "#office/reports/prepare-export.ts";
import { removeExpired } from "#office/reports/remove-expired.ts";
import { runDueSchedules } from "#office/reports/schedules.ts";
import { ExportKey, enqueueLostExports, prepareJob } from "#office/reports/prepare-job.ts";

export const exportJobs: Job[] = [
  {
    name: "order-scheduled-reports",
    cron: "*/5 * * * *",
    atStart: true,
    run: async ({ db, now }) => {
      await runDueSchedules(db, now().toString());
      await enqueueLostExports(db);
    },
  },
  {
    name: "remove-expired-reports",
    cron: "40 8 * * *",
    run: async ({ db, now }) => await removeExpired(db, now().toString()),
  },
];

/** Prepare each requested export, two at a time. */
export function prepareExportJob(): OrderedJob {
  let isLogged = false;
  return {
    name: prepareJob,
    atOnce: 2,
    run: async (context, about, stopping) => {
      try {
        await prepareExport(context, ExportKey.parse(about), stopping);
        isLogged = false;
      } catch (problem) {
        const isOrdinary = stopping.aborted || isLostConnection(problem);
        if (!isOrdinary && !isLogged) context.log(`Reports cannot be prepared: ${String(problem)}`);
        isLogged ||= !isOrdinary; // log once, until it works again
        throw problem;
      }
    },
  };
}
