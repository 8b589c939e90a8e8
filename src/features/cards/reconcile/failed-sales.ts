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
  const now = context.now().toString();
  const take = async () =>
    await sql<Sale>`
      update card_payments set follow_at = ${now}::timestamptz + interval '1 day'
      where (network_id, payment_id) in (
        select network_id, payment_id from card_payments
        where follow_at <= ${now}::timestamptz
        order by follow_at limit 20 for update skip locked)
      returning network_id, attorney_id, payment_id, processor, iso(settled_at) as settled_at`.execute(
      context.db,
    );
  await sweep(
    context,
    take,
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
