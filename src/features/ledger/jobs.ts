import { plainDate } from "#domain/calendar.ts";
import type { Job } from "#jobs/job.ts";
import { networksToBill, runBilling } from "#features/ledger/billing-run.ts";
import { countUnbilled } from "#features/ledger/unbilled.ts";

/**
 * Every hour, bill each network whose local day has turned. What goes wrong with one network holds up
 * no other; the job then fails, so that it is tried again. Source: domain rules §3.
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
          // Between two chunks a run can be broken off; another worker takes it up again.
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
    // When the hour's billing has ended, and not at once when a worker starts: it bills first.
    name: "count-what-is-not-billed",
    cron: "20 * * * *",
    run: async ({ db, now }, stopping) => await countUnbilled(db, now().toString(), stopping),
  },
];
