import { setTimeout as pause } from "node:timers/promises";
import { dayIn } from "#kit/domain/calendar.ts";
import type { AttorneyActor } from "#kit/domain/actor.ts";
import type { Db } from "#kit/db/database.ts";
import { Answer } from "#kit/http/envelope.ts";
import type { RawJson } from "#kit/db/json-query.ts";
import { Refusal } from "#kit/contract/refusal.ts";
import type { Attorney } from "#people/contract.ts";
import { showAttorneyRecord } from "#people/attorney-record.ts";
import { accountInUseOrRefuse } from "#cards/settings/card-accounts.ts";
import {
  type Attempt,
  beginPayment,
  type ExistingPayment,
  findExistingPayment,
  prepareAttempt,
} from "#cards/charge/card-attempt.ts";
import { confirmPayment, findSession } from "#cards/reconcile/confirmation.ts";
import type { CardPaid } from "#cards/contract.ts";
import type { PaymentKey, PaymentOutcome } from "#cards/charge/locked-payment.ts";
import { findPayer } from "#cards/charge/payer.ts";
import { totalOf } from "#payments/payments.ts";
import type { NewCharge } from "#cards/processors/processor.ts";
import { declineMessage, recordOutcome } from "#cards/charge/settlement.ts";
import { callProcessor, type CardPaymentContext } from "#cards/card-payment-context.ts";

/**
 * Pay debits by card in three steps, safe against a crash between any two: insert the payment and reserve
 * its amounts; charge the card outside any transaction; post or release. The same token or idempotency key
 * again returns the first result and charges nothing. Throws 422 with the processor's reason if the card is
 * declined; 404, 409 and 422 like `lockDebitsToPay`. Answers 202 while the outcome is unknown. Source:
 * domain rules §4.
 */
export async function payByCard(
  context: CardPaymentContext,
  actor: AttorneyActor,
  wanted: CardPaid,
): Promise<Answer<RawJson<Attorney>>> {
  const outcome = await outcomeOf(context, actor, wanted);
  if (outcome.state === "declined") throw new Refusal(422, declineMessage(outcome));
  const today = dayIn(actor.timeZone, context.now());
  const object = await showAttorneyRecord(context.db, actor, actor.attorneyId, today);
  if (outcome.state === "processing") return new Answer(object, 202, beingConfirmed);
  return new Answer(object, 200, messagesOfReversed[outcome.state] ?? null);
}

async function outcomeOf(
  context: CardPaymentContext,
  actor: AttorneyActor,
  wanted: CardPaid,
): Promise<PaymentOutcome> {
  const earlier = await findExistingPayment(context.db, actor, wanted);
  if (earlier) return await outcomeOfEarlier(context, actor, earlier);
  const using = await accountInUseOrRefuse(context, actor.networkId);
  const attempt = await prepareAttempt(context, actor, using, wanted);
  const begun = await beginPayment(context, actor, attempt);
  if (!begun.isNew) return await outcomeOfEarlier(context, actor, begun);
  const charge = await chargeFor(context, actor, attempt, begun.createdAt);
  const outcome = await callProcessor(context, `Charging payment ${begun.paymentId}`, () =>
    using.processor.charge(using.account, charge),
  );
  const key = { networkId: actor.networkId, attorneyId: actor.attorneyId, ...begun };
  return await recordOutcome(context, key, outcome, actor);
}

async function chargeFor(
  context: CardPaymentContext,
  actor: AttorneyActor,
  attempt: Attempt,
  startedAt: string,
): Promise<NewCharge> {
  const { session, reference, shares } = attempt;
  return {
    reference,
    amountCents: totalOf(shares),
    transactionId: null,
    startedAt,
    session: session && (await findSession(context, actor.networkId, session.id)),
    token: attempt.wanted.token,
    description: `Dues to ${actor.networkName}`,
    payer: await findPayer(context.db, actor),
  };
}

/**
 * The outcome of the first request: immediately if it is settled, otherwise by looking it up at the
 * processor.
 */
async function outcomeOfEarlier(
  context: CardPaymentContext,
  actor: AttorneyActor,
  earlier: ExistingPayment,
): Promise<PaymentOutcome> {
  const key = { networkId: actor.networkId, attorneyId: actor.attorneyId, ...earlier };
  const known = await outcomeOfState(context.db, key);
  if (known.state !== "processing") return known;
  const asked = await confirmPayment(context, key, actor);
  const isForThePayer = asked.outcome.kind === "unknown" && asked.outcome.challenge !== undefined;
  if (asked.state !== "processing" || isForThePayer) return asked;
  return await waitForOther(context, key);
}

/** The request that made the payment may still be charging: its outcome comes within moments or not at all. */
async function waitForOther(context: CardPaymentContext, key: PaymentKey): Promise<PaymentOutcome> {
  const end = performance.now() + Math.min(3000, context.timeoutMs);
  let known = await outcomeOfState(context.db, key);
  while (known.state === "processing" && performance.now() < end) {
    await pause(100);
    known = await outcomeOfState(context.db, key);
  }
  return known;
}

async function outcomeOfState(
  db: Db,
  key: { networkId: number; paymentId: number },
): Promise<PaymentOutcome> {
  return await db
    .selectFrom("cardPayments")
    .select(["state", "message"])
    .where("networkId", "=", key.networkId)
    .where("paymentId", "=", key.paymentId)
    .executeTakeFirstOrThrow();
}

const beingConfirmed =
  "Your payment is being confirmed with the card processor. It will appear as paid once it is confirmed. Do not pay again.";
/** Messages for an earlier payment that no longer counts. */
const messagesOfReversed: Partial<Record<PaymentOutcome["state"], string>> = {
  refunded: "This payment was made and later refunded.",
  failed: "This payment was made, but the card processor could not collect it. It is owed again.",
};

/** The confirmation that the payer's bank wants in the browser, for a payment that is not settled yet. */
export async function findChallenge(
  context: CardPaymentContext,
  actor: AttorneyActor,
  wanted: Pick<CardPaid, "token" | "idempotency_key">,
): Promise<{ challenge: string | null }> {
  const earlier = await findExistingPayment(context.db, actor, wanted);
  if (!earlier) throw new Refusal(404, "There is no such payment.");
  const key = { networkId: actor.networkId, attorneyId: actor.attorneyId, ...earlier };
  if ((await outcomeOfState(context.db, key)).state !== "processing") return { challenge: null };
  const { outcome } = await confirmPayment(context, key, actor);
  return { challenge: (outcome.kind === "unknown" && outcome.challenge) || null };
}
