import { sql } from "kysely";
import type { ChangeAuthor } from "#kit/domain/actor.ts";
import type { Db } from "#kit/db/database.ts";
import { networkDay } from "#kit/db/network-day.ts";
import { inTransaction } from "#kit/db/transaction.ts";
import { cents } from "#kit/domain/money.ts";
import { confirmationJob, type LockedPayment, lockPayment } from "#cards/charge/locked-payment.ts";
import { confirmPayment, pauseAfterLookUps } from "#cards/reconcile/confirmation.ts";
import type { RefundOutcome } from "#cards/processors/processor.ts";
import {
  doneAs,
  readRefund,
  type RefundKey,
  type RefundState,
} from "#cards/refund/refund-record.ts";
import {
  chargedBackOf,
  recordTransaction,
  setExcessProblem,
} from "#cards/transactions/record-transaction.ts";
import { processDue } from "#cards/process-due.ts";
import { callProcessor, type CardPaymentContext } from "#cards/card-payment-context.ts";

/**
 * Call the processor and record its answer; repeating it never refunds twice. `isFirst`: the refund was
 * just inserted, so the processor has never been asked for it.
 */
export async function carryOutRefund(
  context: CardPaymentContext,
  key: RefundKey,
  author: ChangeAuthor,
  { isFirst = false }: { isFirst?: boolean } = {},
): Promise<RefundState> {
  const { refund, captured, account: open } = await readRefund(context, key);
  const outcome = await callProcessor(context, `Refund ${key.id}`, async () => {
    const { processor, account } = await open();
    return await processor.voidOrRefund(account, { ...captured, wasAskedBefore: !isFirst });
  });
  const state = await inTransaction(context.db, (tx) =>
    settleRefund(tx, context, refund, outcome, author),
  );
  // Record immediately what used up the rest of the charge at the processor.
  if (outcome.kind === "refused" && outcome.exceedsRest === true)
    await confirmPayment(context, refund, confirmationJob(key.networkId));
  return state;
}

type Refund = Awaited<ReturnType<typeof readRefund>>["refund"];

async function settleRefund(
  tx: Db,
  context: CardPaymentContext,
  refund: Refund,
  outcome: RefundOutcome,
  author: ChangeAuthor,
): Promise<RefundState> {
  const payment = await lockPayment(tx, refund);
  if (outcome.kind === "done")
    await recordRefund(tx, payment, refund, { processorId: outcome.processorId ?? null, author });
  const written = await tx
    .updateTable("cardRefunds")
    .set(changeFor(context, refund, outcome))
    .where("networkId", "=", refund.networkId)
    .where("id", "=", refund.id)
    .where("state", "=", "requested")
    .returning(["state", "problem"])
    .executeTakeFirst();
  return written ?? (await stateOf(tx, refund));
}

/** Records the refund once: it may already have been found at the processor, and recorded as ours or not. */
async function recordRefund(
  tx: Db,
  payment: LockedPayment,
  refund: Refund,
  { processorId, author }: { processorId: string | null; author: ChangeAuthor },
) {
  const { networkId, paymentId, id, amountCents, reason } = refund;
  const known = await tx
    .selectFrom("cardTransactions")
    .select("id")
    .where("networkId", "=", networkId)
    .where("paymentId", "=", paymentId)
    .where("kind", "=", "refund")
    .where((where) =>
      where.or([where("refundId", "=", id), where("processorId", "=", processorId)]),
    )
    .executeTakeFirst();
  if (known) return;
  const on = networkDay(networkId);
  const left = cents(Math.min(amountCents, payment.receivedCents));
  if (left < amountCents && (await chargedBackOf(tx, payment)) > 0)
    await setExcessProblem(tx, payment);
  if (left <= 0) return; // all of it was already refunded at the processor or charged back
  const refunded = { kind: "refund", amountCents: left, on, processorId } as const;
  await recordTransaction(
    tx,
    payment,
    { ...refunded, by: "here", refundId: id, note: reason },
    { author },
  );
}

async function stateOf(tx: Db, { networkId, id }: RefundKey): Promise<RefundState> {
  return await tx
    .selectFrom("cardRefunds")
    .select(["state", "problem"])
    .where("networkId", "=", networkId)
    .where("id", "=", id)
    .executeTakeFirstOrThrow();
}

function changeFor(context: CardPaymentContext, { processor }: Refund, outcome: RefundOutcome) {
  if (outcome.kind === "done") return doneAs(outcome.how, context, processor);
  if (outcome.kind === "unknown") return { problem: outcome.problem };
  const settled = { nextLookAt: null, settledAt: sql<string>`now()` };
  return { state: "failed" as const, problem: outcome.message, ...settled };
}

export async function carryOutOpenRefunds(context: CardPaymentContext): Promise<void> {
  const due = {
    table: "card_refunds",
    at: "next_look_at",
    counter: "looks",
    where: sql`state = 'requested'`,
    pause: sql`${pauseAfterLookUps} + interval '1 minute'`,
    returning: sql`taken.network_id, taken.id`,
  };
  await processDue<RefundKey>(
    context,
    due,
    ({ id }) => `Refund ${id}`,
    (key) => carryOutRefund(context, key, confirmationJob(key.networkId)),
  );
}
