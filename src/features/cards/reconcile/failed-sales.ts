import { sql } from "kysely";
import { Temporal } from "temporal-polyfill";
import { processorNamed } from "#features/cards/settings/card-accounts.ts";
import { confirmationJob } from "#features/cards/charge/locked-payment.ts";
import { confirmPayment } from "#features/cards/reconcile/confirmation.ts";
import type { PaymentKey } from "#features/cards/charge/locked-payment.ts";
import { sweep } from "#features/cards/sweep.ts";
import type { CardPaymentContext } from "#features/cards/card-payment-context.ts";

/** A captured payment that may yet fail, or one that has not been collected and may yet come through. */
interface Sale extends PaymentKey {
  processor: string;
  settledAt: string;
}

/**
 * Look up the sales that were approved and may yet fail at settlement, each once a day until it is
 * settled or cannot fail any more. Source: docs/decisions/020.
 */
export async function checkApprovedSales(context: CardPaymentContext): Promise<void> {
  const due = {
    table: "card_payments",
    id: "payment_id",
    at: "follow_at",
    where: sql`follow_at is not null`,
    pause: sql`interval '1 day'`,
    returning: sql`taken.network_id, taken.attorney_id, taken.payment_id, taken.processor, iso(taken.settled_at) as settled_at`,
  };
  await sweep<Sale>(
    context,
    due,
    ({ paymentId }) => `Payment ${paymentId}`,
    (sale) => follow(context, sale),
  );
}

async function follow(context: CardPaymentContext, sale: Sale): Promise<void> {
  const { salesMayFail } = processorNamed(sale.processor);
  if (!salesMayFail) return await stopFollowing(context, sale);
  const { outcome } = await confirmPayment(context, sale, confirmationJob(sale.networkId));
  const end = Temporal.Instant.from(sale.settledAt).add({ hours: 24 * salesMayFail.forDays });
  const isSettled = outcome.kind === "approved" && outcome.isSettled === true;
  if (isSettled || Temporal.Instant.compare(context.now(), end) >= 0)
    await stopFollowing(context, sale);
}

async function stopFollowing(context: CardPaymentContext, sale: Sale): Promise<void> {
  await context.db
    .updateTable("cardPayments")
    .set({ followAt: null })
    .where("networkId", "=", sale.networkId)
    .where("paymentId", "=", sale.paymentId)
    .execute();
}
