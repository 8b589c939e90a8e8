import { sql } from "kysely";
import type { Doer } from "#domain/actor.ts";
import type { Db } from "#db/database.ts";
import { inTransaction } from "#db/transaction.ts";
import { confirmationJob } from "#features/cards/charge/locked-payment.ts";
import { pauseAfterLookUps } from "#features/cards/reconcile/confirmation.ts";
import type { RefundOutcome } from "#features/cards/processors/processor.ts";
import {
  attorneyOfRefund,
  firstCheckAt,
  readRefund,
  type RefundKey,
  type RefundState,
} from "#features/cards/refund/refund-record.ts";
import { resolveUnapplied, reversePayment } from "#features/cards/refund/reversals.ts";
import { sweep } from "#features/cards/sweep.ts";
import { callProcessor, type CardPaymentContext } from "#features/cards/card-payment-context.ts";

/**
 * Call the processor and record its answer; calling again never refunds twice. `isFirst`: the refund has just
 * been written, and nobody can have asked for it before.
 */
export async function carryOutRefund(
  context: CardPaymentContext,
  key: RefundKey,
  doer: Doer,
  { isFirst = false }: { isFirst?: boolean } = {},
): Promise<RefundState> {
  const { captured, account: open } = await readRefund(context, key);
  const outcome = await callProcessor(context, `Refund ${key.id}`, async () => {
    const { processor, account } = await open();
    return await processor.voidOrRefund(account, { ...captured, wasAskedBefore: !isFirst });
  });
  return await inTransaction(context.db, (tx) => settleRefund(tx, context, key, outcome, doer));
}

async function settleRefund(
  tx: Db,
  context: CardPaymentContext,
  key: RefundKey,
  outcome: RefundOutcome,
  doer: Doer,
): Promise<RefundState> {
  const refund = await tx
    .selectFrom("cardRefunds")
    .selectAll()
    .where("networkId", "=", key.networkId)
    .where("id", "=", key.id)
    .executeTakeFirstOrThrow();
  const attorneyId = await attorneyOfRefund(tx, refund);
  if (outcome.kind === "done") {
    if (refund.paymentId !== null)
      await reversePayment(tx, { ...key, attorneyId, paymentId: refund.paymentId }, doer);
    else await resolveUnapplied(tx, refund);
  }
  const written = await tx
    .updateTable("cardRefunds")
    .set(changeFor(outcome, firstCheckAt(context, refund.processor)))
    .where("networkId", "=", key.networkId)
    .where("id", "=", key.id)
    .where("state", "=", "requested")
    .returning(["state", "problem"])
    .executeTakeFirst();
  return written ?? refund;
}

function changeFor(outcome: RefundOutcome, followAt: string | null) {
  const settled = { nextLookAt: null, settledAt: sql<string>`now()` };
  if (outcome.kind === "unknown") return { problem: outcome.problem };
  if (outcome.kind === "refused")
    return { state: "failed" as const, problem: outcome.message, ...settled };
  const mayFail = outcome.how === "refunded"; // what was voided is no money under way
  return {
    state: "done" as const,
    kind: outcome.how,
    problem: null,
    followAt: mayFail ? followAt : null,
    ...settled,
  };
}

/** Finish the refunds whose outcome is not known. */
export async function carryOutOpenRefunds(context: CardPaymentContext): Promise<void> {
  const due = {
    table: "card_refunds",
    at: "next_look_at",
    counter: "looks",
    where: sql`state = 'requested'`,
    pause: sql`${pauseAfterLookUps} + interval '1 minute'`,
    returning: sql`taken.network_id, taken.id`,
  };
  await sweep<RefundKey>(
    context,
    due,
    ({ id }) => `Refund ${id}`,
    (key) => carryOutRefund(context, key, confirmationJob(key.networkId)),
  );
}
