import { sql } from "kysely";
import { Temporal } from "temporal-polyfill";
import { confirmationJob } from "#cards/charge/locked-payment.ts";
import { confirmPayment } from "#cards/reconcile/confirmation.ts";
import type { PaymentKey } from "#cards/charge/locked-payment.ts";
import { processDue } from "#cards/process-due.ts";
import type { CardPaymentContext } from "#cards/card-payment-context.ts";

/** A captured payment, or one declined at settlement that may still come through. */
interface Sale extends PaymentKey {
  settledAt: string;
}

/**
 * Look up captured payments: a sale can fail at settlement, be refunded in the processor's own pages, or be
 * charged back. Once a day for a month, then once a week for half a year. Source: book rules 6, 7;
 * docs/decisions/020.
 */
export async function lookUpCapturedPayments(context: CardPaymentContext): Promise<void> {
  const due = {
    table: "card_payments",
    id: "payment_id",
    at: "follow_at",
    where: sql`follow_at is not null`,
    pause: sql`case when taken.settled_at > now() - interval '30 days' then interval '1 day' else interval '7 days' end`,
    returning: sql`taken.network_id, taken.attorney_id, taken.payment_id, iso(taken.settled_at) as settled_at`,
  };
  await processDue<Sale>(
    context,
    due,
    ({ paymentId }) => `Payment ${paymentId}`,
    (sale) => lookUpSale(context, sale),
  );
}

const followedDays = 180;

async function lookUpSale(context: CardPaymentContext, sale: Sale): Promise<void> {
  await confirmPayment(context, sale, confirmationJob(sale.networkId));
  const end = Temporal.Instant.from(sale.settledAt).add({ hours: 24 * followedDays });
  if (Temporal.Instant.compare(context.now(), end) >= 0) await stopFollowing(context, sale);
}

async function stopFollowing(context: CardPaymentContext, sale: Sale): Promise<void> {
  await context.db
    .updateTable("cardPayments")
    .set({ followAt: null })
    .where("networkId", "=", sale.networkId)
    .where("paymentId", "=", sale.paymentId)
    .execute();
}
