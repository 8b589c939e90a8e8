import { setTimeout as pause } from "node:timers/promises";
import type { Job, JobContext } from "#kit/jobs/job.ts";
import { removeOldMessages } from "#outgoing/webhooks/deliveries.ts";
import { hasActiveEndpoint, sendDueWebhooks } from "#outgoing/webhooks/send-webhooks.ts";

export const webhookJobs: Job[] = [
  {
    name: "send-webhooks",
    cron: "* * * * *",
    atStart: true,
    run: async (context, stopping) => await sendForAWhile(context, stopping),
  },
  {
    name: "remove-old-webhooks",
    cron: "50 8 * * *",
    run: async ({ db }, stopping) => await removeOldMessages(db, stopping),
  },
];

const lookEveryMs = 2_000;
/** The next minute's run then starts. */
const lastsMs = 55_000;

/** If there is an endpoint, look for events every two seconds instead of every minute. */
async function sendForAWhile(context: JobContext, stopping?: AbortSignal): Promise<void> {
  const signal = AbortSignal.any([
    AbortSignal.timeout(lastsMs),
    ...(stopping === undefined ? [] : [stopping]),
  ]);
  while (!signal.aborted && (await hasActiveEndpoint(context.db))) {
    await sendDueWebhooks(context, signal);
    await pause(lookEveryMs, undefined, { signal }).catch(() => undefined); // aborted
  }
}
