import { sql } from "kysely";
import type { Admin } from "#kit/domain/actor.ts";
import { formatDay } from "#kit/domain/day.ts";
import { type Cents, formatMoney } from "#kit/domain/money.ts";
import { invalid, notFound, Refusal } from "#kit/contract/refusal.ts";
import { audit } from "#kit/db/audit.ts";
import { refuseDayOfClosedBooks } from "#kit/db/closed-books.ts";
import { notifyOnCommit } from "#kit/db/changes.ts";
import type { Db } from "#kit/db/database.ts";
import { readNetworkDay } from "#kit/db/network-day.ts";
import type { RawJson } from "#kit/db/json-query.ts";
import { showCard } from "#cards/card-lists.ts";
import { type LockedPayment, lockPayment } from "#cards/charge/locked-payment.ts";
import type { CardTransactionInput } from "#cards/contract.ts";
import type { CardPayment } from "#cards/shapes.ts";
import { chargeFeeOfChargeback } from "#cards/transactions/chargeback-fee.ts";
import { findOpenRefund } from "#cards/transactions/record-events.ts";
import { chargedBackOf, recordTransaction } from "#cards/transactions/record-transaction.ts";

/**
 * Record what happened to a card payment at a processor that may not report it. Throws 404; 422 for a date
 * in the future, before the payment or in closed books; 409 for more than is received or charged back, and
 * for a refund while one of ours is being confirmed. Source: book rules 6, 7.
 */
export async function recordManualTransaction(
  tx: Db,
  admin: Admin,
  paymentId: number,
  { kind, amount, on, note, fee }: CardTransactionInput,
): Promise<RawJson<CardPayment>> {
  const payment = await lockKnown(tx, admin, paymentId, { chargesToo: fee !== undefined });
  // Our refund is recorded when the processor answers. Entered by hand too, it would count twice.
  if (kind === "refund" && (await findOpenRefund(tx, payment)))
    throw new Refusal(
      409,
      "A refund of this payment is being confirmed. It will be recorded when the card processor answers.",
    );
  const today = await readNetworkDay(tx, admin.networkId);
  if (on > today) throw invalid("on", "The date must not be in the future.");
  const madeOn = await dayOfPurchase(tx, payment);
  if (madeOn === null)
    throw new Refusal(409, "The card was never charged, so there is nothing to record.");
  if (on < madeOn)
    throw invalid(
      "on",
      `The date must not be before ${formatDay(madeOn)}, when the card was charged.`,
    );
  await refuseDayOfClosedBooks(tx, admin.networkId, { path: "on", day: on });
  if (fee !== undefined && kind !== "chargeback")
    throw invalid("fee", "Only a chargeback has a fee.");
  const most =
    kind === "chargeback_reversed" ? await chargedBackOf(tx, payment) : payment.receivedCents;
  if (amount > most) throw tooMuch(kind, most);
  await recordTransaction(
    tx,
    payment,
    { kind, amountCents: amount, on, processorId: null, by: "hand", note },
    { author: admin },
  );
  if (fee !== undefined) await chargeFeeOfChargeback(tx, payment, fee, admin);
  return await showCard(tx, admin, paymentId);
}

function tooMuch(kind: CardTransactionInput["kind"], most: Cents): Refusal {
  const message =
    kind === "chargeback_reversed"
      ? `At most ${formatMoney(most)} can be recorded: that is what was charged back.`
      : `At most ${formatMoney(most)} can be recorded: that is what is left of this payment.`;
  return new Refusal(409, message, { errors: [{ path: "amount", message }] });
}

/** Throws 404. */
async function lockKnown(
  tx: Db,
  { networkId }: Admin,
  paymentId: number,
  locks = {},
): Promise<LockedPayment> {
  const known = await tx
    .selectFrom("cardPayments")
    .select(["networkId", "attorneyId", "paymentId"])
    .where("networkId", "=", networkId)
    .where("paymentId", "=", paymentId)
    .executeTakeFirst();
  if (!known) throw notFound("card payment");
  return await lockPayment(tx, known, locks);
}

async function dayOfPurchase(tx: Db, { networkId, paymentId }: LockedPayment) {
  const made = await tx
    .selectFrom("cardTransactions")
    .select("happenedOn")
    .where("networkId", "=", networkId)
    .where("paymentId", "=", paymentId)
    .where("kind", "=", "purchase")
    .orderBy("id")
    .limit(1)
    .executeTakeFirst();
  return made?.happenedOn ?? null;
}

/** Mark a payment's chargebacks as seen. Throws 404. */
export async function markChargebacksSeenOf(
  tx: Db,
  admin: Admin,
  paymentId: number,
): Promise<RawJson<CardPayment>> {
  const { attorneyId } = await lockKnown(tx, admin, paymentId);
  const seen = await tx
    .updateTable("cardTransactions")
    .set({ seenAt: sql<string>`clock()`, seenBy: admin.userId })
    .where("networkId", "=", admin.networkId)
    .where("paymentId", "=", paymentId)
    .where("kind", "=", "chargeback")
    .where("seenAt", "is", null)
    .executeTakeFirst();
  if (seen.numUpdatedRows > 0n) {
    await audit(tx, admin, {
      action: "looked at chargeback",
      recordType: "payment",
      recordId: paymentId,
    });
    notifyOnCommit(tx, admin.networkId, attorneyId, "administration");
  }
  return await showCard(tx, admin, paymentId);
}
