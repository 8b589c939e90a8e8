import { setTimeout as pause } from "node:timers/promises";
import type { Job, JobContext } from "#kit/jobs/job.ts";
import { confirmOpenPayments, isDueWithin } from "#cards/reconcile/confirmation.ts";
import { checkAcceptedRefunds } from "#cards/refund/refund-failures.ts";
import { lookUpCapturedPayments } from "#cards/reconcile/captured-payments.ts";
import { carryOutOpenRefunds } from "#cards/refund/refund-job.ts";
import { reconcileSessions } from "#cards/session/reconcile-sessions.ts";
import {
  processorTimeoutMs,
  type SandboxAddresses,
  type CardPaymentContext,
} from "#cards/card-payment-context.ts";

/**
 * Every minute, look up unknown outcomes at the processors. Every hour, look up captured payments and
 * refunds that may have failed. Source: domain rules §4.
 */
export function cardJobs(sandboxes: SandboxAddresses | null): Job[] {
  const cardContextOf = (context: JobContext): CardPaymentContext => ({
    ...context,
    sandboxes,
    limits: true,
    timeoutMs: processorTimeoutMs,
  });
  return [
    {
      name: "confirm-card-payments",
      cron: "* * * * *",
      atStart: true,
      run: async (context, stopping) => await confirmForAWhile(cardContextOf(context), stopping),
    },
    {
      name: "find-charges-of-lost-browsers",
      cron: "* * * * *",
      atStart: true,
      run: async (context) => await reconcileSessions(cardContextOf(context)),
    },
    {
      name: "carry-out-refunds",
      cron: "* * * * *",
      atStart: true,
      run: async (context) => await carryOutOpenRefunds(cardContextOf(context)),
    },
    {
      name: "follow-refunds",
      cron: "23 * * * *",
      atStart: true,
      run: async (context) => await checkAcceptedRefunds(cardContextOf(context)),
    },
    {
      name: "follow-sales",
      cron: "41 * * * *",
      atStart: true,
      run: async (context) => await lookUpCapturedPayments(cardContextOf(context)),
    },
  ];
}

/** A payer is waiting, so look again within seconds, not in the next minute. */
async function confirmForAWhile(
  context: CardPaymentContext,
  stopping?: AbortSignal,
): Promise<void> {
  await confirmOpenPayments(context);
  for (const seconds of [3, 5, 10, 10, 10]) {
    if (!(await isDueWithin(context, seconds))) return;
    await pause(seconds * 1000, undefined, { signal: stopping }).catch(() => undefined); // stopping
    if (stopping?.aborted) return;
    await confirmOpenPayments(context);
  }
}
