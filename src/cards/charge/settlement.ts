import { sql } from "kysely";
import { Temporal } from "temporal-polyfill";
import type { ChangeAuthor } from "#kit/domain/actor.ts";
import { notifyOnCommit } from "#kit/db/changes.ts";
import type { Db } from "#kit/db/database.ts";
import { networkDay } from "#kit/db/network-day.ts";
import { inTransaction } from "#kit/db/transaction.ts";
import { processorNamed } from "#cards/settings/card-accounts.ts";
import {
  type LockedPayment,
  lockPayment,
  type PaymentKey,
  type PaymentOutcome,
  auditPaymentChange,
  confirmationJob,
  processorAsDoer,
} from "#cards/charge/locked-payment.ts";
import { fullRefundKind } from "#cards/processors/charge-events.ts";
import type {
  Approved,
  Declined,
  LookUpOutcome,
  UnknownOutcome,
} from "#cards/processors/processor.ts";
import { notAvailable } from "#cards/processors/wording.ts";
import { recordChargeEvents } from "#cards/transactions/record-events.ts";
import { recordTransaction } from "#cards/transactions/record-transaction.ts";
import type { CardPaymentContext } from "#cards/card-payment-context.ts";
import {
  captureCardPayment,
  isRecorded,
  postUnmatchedCharge,
} from "#cards/reconcile/found-charges.ts";

/**
 * Record the outcome of a payment from the request that charged it, a job or a webhook. The book changes
 * once: a late, repeated or out-of-order outcome changes nothing. A charge found after its payment was
 * given up is posted like any unmatched charge.
 */
export async function recordOutcome(
  context: CardPaymentContext,
  key: PaymentKey,
  outcome: LookUpOutcome,
  author: ChangeAuthor,
): Promise<PaymentOutcome> {
  return await inTransaction(context.db, async (tx) => {
    const chargesToo =
      outcome.kind === "approved" && outcome.since?.some(({ kind }) => kind === "chargeback");
    const payment = await lockPayment(tx, key, { chargesToo });
    if (payment.state === "processing")
      return await recordOutcomeOfOpen(tx, context, payment, outcome, author);
    if (outcome.kind === "approved" && payment.state === "declined") {
      if (fullRefundKind(outcome) === null)
        await postUnmatchedCharge(tx, unmatchedChargeOf(payment, outcome), author);
      return payment;
    }
    if (!hasSameTransaction(payment, outcome)) return payment;
    if (outcome.kind === "declined" && payment.state === "captured")
      return await recordFailedSale(tx, payment);
    if (outcome.kind !== "approved") return payment;
    if (payment.state === "failed") await recordLateCollection(tx, payment);
    await recordChargeEvents(tx, context, payment, outcome.since ?? []);
    return { state: await stateOf(tx, payment), message: null };
  });
}

/** Approved but not collected: the debits are owed again. The sale is still looked up. */
async function recordFailedSale(tx: Db, payment: LockedPayment): Promise<PaymentOutcome> {
  const failed = { kind: "failed", processorId: null, by: "processor" } as const;
  const { receivedCents: amountCents, networkId } = payment;
  const author = processorAsDoer(payment);
  await recordTransaction(
    tx,
    payment,
    { ...failed, amountCents, on: networkDay(networkId) },
    { author },
  );
  await tx
    .updateTable("cardPayments")
    .set({ problem: saleFailed })
    .where("networkId", "=", payment.networkId)
    .where("paymentId", "=", payment.paymentId)
    .execute();
  return { state: "failed", message: null };
}

const saleFailed = "Approved, but the card processor could not collect it at settlement.";

/** A failed sale was collected in a later batch: the amount that had failed is received again. */
async function recordLateCollection(tx: Db, payment: LockedPayment): Promise<void> {
  const failed = await tx
    .selectFrom("cardTransactions")
    .select("amountCents")
    .where("networkId", "=", payment.networkId)
    .where("paymentId", "=", payment.paymentId)
    .where("kind", "=", "failed")
    .orderBy("id", "desc")
    .limit(1)
    .executeTakeFirstOrThrow();
  const back = {
    kind: "purchase",
    amountCents: failed.amountCents,
    processorId: null,
    by: "processor",
  } as const;
  await recordTransaction(
    tx,
    payment,
    { ...back, on: networkDay(payment.networkId), note: "Collected in a later batch" },
    { author: processorAsDoer(payment), mail: "came through" },
  );
  await tx
    .updateTable("cardPayments")
    .set({ problem: null })
    .where("networkId", "=", payment.networkId)
    .where("paymentId", "=", payment.paymentId)
    .execute();
}

async function stateOf(tx: Db, { networkId, paymentId }: LockedPayment) {
  const { state } = await tx
    .selectFrom("cardPayments")
    .select("state")
    .where("networkId", "=", networkId)
    .where("paymentId", "=", paymentId)
    .executeTakeFirstOrThrow();
  return state;
}

async function recordOutcomeOfOpen(
  tx: Db,
  context: CardPaymentContext,
  payment: LockedPayment,
  outcome: LookUpOutcome,
  author: ChangeAuthor,
): Promise<PaymentOutcome> {
  const { kind } = outcome;
  if (kind === "approved" && fullRefundKind(outcome) !== null) {
    const { transactionId } = outcome;
    const why = { message: wasVoided, transactionId };
    return await release(tx, payment, why, { author, by: processorAsDoer(payment) });
  }
  if (kind === "approved") return await recordApproval(tx, payment, outcome, author);
  if (kind === "declined")
    return await release(tx, payment, outcome, { author, by: processorAsDoer(payment) });
  if (kind === "unknown") return await scheduleNextLookUp(tx, context, payment, outcome);
  if (isMissingForGood(context, payment))
    return await release(tx, payment, neverCharged, { author });
  return await scheduleNextLookUp(tx, context, payment, notFoundAtProcessor);
}

const notFoundAtProcessor: UnknownOutcome = {
  kind: "unknown",
  problem: "The processor does not know of the charge yet.",
};

const wasVoided = "The charge was voided at the card processor. Nothing was paid.";
const neverCharged = { message: "The card was not charged. You can pay again." };
const otherAmount = {
  message:
    "The amount charged to the card is not the total of these payments. It is posted to your oldest debits.",
};
const alreadyPosted = { message: "This card charge has already been recorded." };

async function recordApproval(
  tx: Db,
  payment: LockedPayment,
  outcome: Approved,
  author: ChangeAuthor,
): Promise<PaymentOutcome> {
  const { networkId, processor } = payment;
  const { transactionId } = outcome;
  if (await isRecorded(tx, { networkId, processor, transactionId }))
    return await release(tx, payment, alreadyPosted, { author });
  if (outcome.amountCents !== payment.amountCents) {
    const settled = await release(tx, payment, otherAmount, { author });
    await postUnmatchedCharge(tx, unmatchedChargeOf(payment, outcome), author);
    await closeSession(tx, payment, "used");
    return settled;
  }
  await captureCardPayment(tx, payment, outcome, author);
  await closeSession(tx, payment, "used");
  await auditPaymentChange(tx, payment, "captured card payment", { transactionId });
  return { state: "captured", message: null };
}

/** Nothing was charged: release the amounts. Activity names the processor only for its own decisions. */
async function release(
  tx: Db,
  payment: LockedPayment,
  why: Pick<Declined, "message" | "transactionId" | "fault" | "mayComeThrough">,
  { author, by = confirmationJob(payment.networkId) }: { author: ChangeAuthor; by?: ChangeAuthor },
): Promise<PaymentOutcome> {
  await tx
    .updateTable("cardPayments")
    .set({
      state: "declined",
      transactionId: why.transactionId ?? payment.transactionId,
      message: why.message,
      problem: why.fault ?? null,
      followAt: why.mayComeThrough === true ? sql<string>`now() + interval '1 day'` : null,
      heldAt: null,
      nextLookAt: null,
      settledAt: sql<string>`now()`,
      settledBy: author.userId,
    })
    .where("networkId", "=", payment.networkId)
    .where("paymentId", "=", payment.paymentId)
    .execute();
  const message = why.fault ?? why.message;
  await auditPaymentChange(tx, payment, "declined card payment", { message }, by);
  return { state: "declined", message: why.message };
}

/** Schedule the next lookup, with growing pauses, and record what is known so far. */
async function scheduleNextLookUp(
  tx: Db,
  context: CardPaymentContext,
  payment: LockedPayment,
  outcome: UnknownOutcome,
): Promise<PaymentOutcome> {
  const { problem, isHeld = false, transactionId = payment.transactionId } = outcome;
  const heldAt = payment.heldAt ?? (isHeld ? context.now().toString() : null);
  await tx
    .updateTable("cardPayments")
    .set({ problem, transactionId, heldAt, nextLookAt: nextLookUpAt(context, payment, outcome) })
    .where("networkId", "=", payment.networkId)
    .where("paymentId", "=", payment.paymentId)
    .execute();
  if (isHeld && payment.heldAt === null)
    await auditPaymentChange(tx, payment, "held card payment for review", { transactionId });
  else notifyOnCommit(tx, payment.networkId, payment.attorneyId);
  return { state: "processing", message: null };
}

/**
 * The first lookup follows within seconds, or later if the network must decide first. A charge unknown to
 * the processor is looked up once more when it must have been listed.
 */
function nextLookUpAt(
  context: CardPaymentContext,
  payment: LockedPayment,
  outcome: UnknownOutcome,
): string | null {
  const { isHeld = false } = outcome;
  const instant = context.now().add(isHeld ? { minutes: 15 } : { seconds: 5 });
  const planned = payment.nextLookAt && Temporal.Instant.from(payment.nextLookAt);
  if (payment.looks === 0 || !planned) return instant.toString();
  const final = finalInstant(payment);
  if (outcome === notFoundAtProcessor && isBetween(context.now(), final, planned))
    return final.toString();
  return isHeld && Temporal.Instant.compare(planned, instant) < 0
    ? instant.toString()
    : payment.nextLookAt;
}

const isBetween = (from: Temporal.Instant, instant: Temporal.Instant, to: Temporal.Instant) =>
  Temporal.Instant.compare(from, instant) < 0 && Temporal.Instant.compare(instant, to) < 0;

function finalInstant(payment: LockedPayment): Temporal.Instant {
  const { missingIsFinalAfterMinutes: minutes } = processorNamed(payment.processor);
  return Temporal.Instant.from(payment.createdAt).add({ minutes });
}

/** A processor may list a charge with a delay: only after that does a missing charge mean anything. */
function isMissingForGood(context: CardPaymentContext, payment: LockedPayment): boolean {
  const isFinal = Temporal.Instant.compare(context.now(), finalInstant(payment)) >= 0;
  return isFinal && payment.looks >= 2 && payment.heldAt === null;
}

const hasSameTransaction = (payment: LockedPayment, outcome: LookUpOutcome) =>
  "transactionId" in outcome && outcome.transactionId === payment.transactionId;

async function closeSession(tx: Db, payment: LockedPayment, state: "used" | "closed") {
  if (payment.sessionId === null) return;
  await tx
    .updateTable("cardSessions")
    .set({ state, nextLookAt: null, encryptedSecret: null, heldAt: null, problem: null })
    .where("networkId", "=", payment.networkId)
    .where("id", "=", payment.sessionId)
    .execute();
}

function unmatchedChargeOf(payment: LockedPayment, outcome: Approved) {
  return {
    networkId: payment.networkId,
    attorneyId: payment.attorneyId,
    processor: payment.processor,
    cardProcessorId: payment.cardProcessorId,
    sessionId: payment.sessionId,
    transactionId: outcome.transactionId,
    amountCents: outcome.amountCents,
    card: outcome.card,
  };
}

/** The message to the payer of a settled payment; never a problem of the network's account. */
export const declineMessage = (settled: PaymentOutcome): string => settled.message ?? notAvailable;
