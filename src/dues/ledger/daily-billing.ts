import { plainDate } from "#kit/domain/calendar.ts";
import type { JobContext } from "#kit/jobs/job.ts";
import {
  type NetworkToBill,
  networksToBill,
  recordBillingFailure,
} from "#dues/ledger/billing-progress.ts";
import { runBilling } from "#dues/ledger/billing-run.ts";

type BillingContext = Pick<JobContext, "db" | "sessions" | "now">;

/**
 * Bill each network whose local day has changed. A network that fails does not stop the others: it is
 * recorded for metrics, and the errors are thrown at the end, so the job is retried. Stops between two
 * chunks when `stopping` aborts: another worker continues. Source: domain rules §3.
 */
export async function runDailyBilling(
  context: BillingContext,
  stopping?: AbortSignal,
): Promise<void> {
  const now = context.now().toString();
  const problems: unknown[] = [];
  for (const network of await networksToBill(context.db, now)) {
    if (stopping?.aborted) break;
    try {
      await billNetwork(context, network, stopping);
    } catch (cause) {
      problems.push(new Error(`Network ${network.id} was not billed.`, { cause }));
      if (stopping?.aborted) break;
      await recordBillingFailure(context.db, network.id, now).catch((problem: unknown) =>
        problems.push(problem),
      );
    }
  }
  if (problems.length > 0) throw new AggregateError(problems, "Some networks were not billed.");
}

async function billNetwork(
  { db, sessions }: BillingContext,
  { id, today }: NetworkToBill,
  stopping?: AbortSignal,
): Promise<void> {
  if (today === null) throw new Error("The database does not know its time zone.");
  const author = { networkId: id, userId: null, name: "Daily billing" };
  const onProgress = () => stopping?.throwIfAborted();
  await runBilling(db, author, plainDate(today), { sessions, onProgress });
}
