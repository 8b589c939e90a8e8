import { sql } from "kysely";
import { Temporal } from "temporal-polyfill";
import type { Db } from "#kit/db/database.ts";
import { networkDay } from "#kit/db/network-day.ts";
import { inTransaction } from "#kit/db/transaction.ts";
import { lockPayment, processorAsDoer } from "#cards/charge/locked-payment.ts";
import { readRefund, type RefundKey } from "#cards/refund/refund-record.ts";
import { recordTransaction } from "#cards/transactions/record-transaction.ts";
import { processDue } from "#cards/process-due.ts";
import { callProcessor, type CardPaymentContext } from "#cards/card-payment-context.ts";

/**
 * Look up accepted refunds that may still fail, once a day for as long as that can happen. Processors with
 * webhooks tell us earlier.
 */
export async function checkAcceptedRefunds(context: CardPaymentContext): Promise<void> {
  const due = {
    table: "card_refunds",
    at: "follow_at",
    where: sql`follow_at is not null`,
    pause: sql`interval '1 day'`,
    returning: sql`taken.network_id, taken.id`,
  };
  await processDue<RefundKey>(
    context,
    due,
    ({ id }) => `Refund ${id}`,
    (key) => checkRefund(context, key),
  );
}

/** The same immediately for the refunds of one charge, after a notice from its processor. */
export async function checkRefundsOfCharge(
  context: CardPaymentContext,
  charge: { networkId: number; processor: string; transactionId: string },
): Promise<void> {
  const refunds = await context.db
    .selectFrom("cardRefunds")
    .select(["networkId", "id"])
    .where("networkId", "=", charge.networkId)
    .where("processor", "=", charge.processor)
    .where("transactionId", "=", charge.transactionId)
    .where("followAt", "is not", null)
    .execute();
  for (const key of refunds) await checkRefund(context, key);
}

async function checkRefund(context: CardPaymentContext, key: RefundKey): Promise<void> {
  const { refund, captured, account: open } = await readRefund(context, key);
  const { processor, account } = await open();
  const { refundsMayFail } = processor;
  if (!refundsMayFail) return await stopFollowing(context.db, key);
  const answer = await callProcessor(context, `Following refund ${key.id}`, async () => ({
    kind: "known" as const,
    why: await refundsMayFail.why(account, captured),
  }));
  if (answer.kind === "unknown") return; // looked up again tomorrow
  if (answer.why !== null) {
    const { why } = answer;
    return await inTransaction(context.db, (tx) => recordFailure(tx, refund, why));
  }
  const end = Temporal.Instant.from(refund.settledAt ?? refund.createdAt).add({
    hours: 24 * refundsMayFail.forDays,
  });
  if (Temporal.Instant.compare(context.now(), end) >= 0) await stopFollowing(context.db, key);
}

/**
 * A failed refund is final at the processor, so no later answer contradicts it. Locks the attorney before
 * the refund, like every other function that settles it.
 */
async function recordFailure(
  tx: Db,
  refund: Awaited<ReturnType<typeof readRefund>>["refund"],
  why: string,
): Promise<void> {
  const { networkId, id } = refund;
  const payment = await lockPayment(tx, refund);
  const failed = await tx
    .updateTable("cardRefunds")
    .set({ state: "failed", kind: null, problem: why, followAt: null, settledAt: sql`now()` })
    .where("networkId", "=", networkId)
    .where("id", "=", id)
    .where("state", "=", "done")
    .executeTakeFirst();
  if (failed.numUpdatedRows === 0n) return;
  const refunded = await tx
    .selectFrom("cardTransactions")
    .select("amountCents")
    .where("networkId", "=", networkId)
    .where("refundId", "=", id)
    .executeTakeFirst();
  if (!refunded) return;
  const on = networkDay(networkId);
  const back = { kind: "purchase", on, processorId: null, by: "processor" } as const;
  await recordTransaction(
    tx,
    payment,
    { ...back, amountCents: refunded.amountCents, note: `The refund failed: ${why}` },
    { author: processorAsDoer(payment), mail: "counts again" },
  );
}

async function stopFollowing(db: Db, key: RefundKey): Promise<void> {
  await db
    .updateTable("cardRefunds")
    .set({ followAt: null })
    .where("networkId", "=", key.networkId)
    .where("id", "=", key.id)
    .execute();
}
