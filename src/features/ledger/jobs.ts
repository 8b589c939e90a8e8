import { plainDate } from "#domain/calendar.ts";
import type { Job } from "#jobs/job.ts";
import { networksToBill, runBilling } from "#features/ledger/billing-run.ts";
import { countUnbilled } from "#features/ledger/unbilled.ts";

/**
 * Every hour, bill each network whose local day has turned. A failure in one network does not stop
 * the others; the job then fails, so that it is retried. Source: domain rules §3.
 */
export const billingJobs: Job[] = [
  {
    name: "bill-networks-whose-day-has-turned",
    cron: "0 * * * *",
    atStart: true,
    run: async ({ db, sessions, now }, stopping) => {
      const problems: unknown[] = [];
      for (const network of await networksToBill(db, now().toString())) {
        if (stopping?.aborted) break;
        const doer = { networkId: network.id, userId: null, name: "Daily billing" };
        try {
          // A run can be stopped between two chunks; another worker continues it.
          const onProgress = () => stopping?.throwIfAborted();
          await runBilling(db, doer, plainDate(network.today), { sessions, onProgress });
        } catch (problem) {
          problems.push(problem);
        }
      }
      if (problems.length > 0) throw new AggregateError(problems, "Some networks were not billed.");
    },
  },
  {
    // After the hour's billing, and not at a worker's start, since it bills first.
    name: "count-what-is-not-billed",
    cron: "20 * * * *",
    run: async ({ db, now }, stopping) => await countUnbilled(db, now().toString(), stopping),
  },
];
