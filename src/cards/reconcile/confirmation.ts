import { sql } from "kysely";
import type { Admin, ChangeAuthor } from "#kit/domain/actor.ts";
import { notFound } from "#kit/contract/refusal.ts";
import { decrypt } from "#kit/ops/encryption.ts";
import { accountOf, type CardAccount, sessionOwner } from "#cards/settings/card-accounts.ts";
import {
  confirmationJob,
  type PaymentKey,
  type PaymentOutcome,
} from "#cards/charge/locked-payment.ts";
import type { Charge, LookUpOutcome, Session } from "#cards/processors/processor.ts";
import { recordOutcome } from "#cards/charge/settlement.ts";
import { processDue } from "#cards/process-due.ts";
import { callProcessor, type CardPaymentContext } from "#cards/card-payment-context.ts";

/**
 * Finish the card payments whose outcome is unknown: look up each one that is due by our reference and
 * record the answer. Those still unknown are looked up again later. Answers the number looked up. Source:
 * domain rules §4.
 */
export async function confirmOpenPayments(context: CardPaymentContext): Promise<number> {
  return await processDue<PaymentKey>(
    context,
    duePayments,
    ({ paymentId }) => `Payment ${paymentId}`,
    (key) => confirmPayment(context, key, confirmationJob(key.networkId)),
  );
}

/** Whether any payment is due to be looked up within the given seconds. */
export async function isDueWithin(context: CardPaymentContext, seconds: number): Promise<boolean> {
  const soon = await context.db
    .selectFrom("cardPayments")
    .select("paymentId")
    .where("state", "=", "processing")
    .where("nextLookAt", "<=", context.now().add({ seconds }).toString())
    .limit(1)
    .executeTakeFirst();
  return soon !== undefined;
}

/** The pause after a lookup doubles, from ten seconds to an hour. */
export const pauseAfterLookUps = sql`make_interval(secs => least(3600, 10 * power(2, least(taken.looks, 12)))::integer)`;

const duePayments = {
  table: "card_payments",
  id: "payment_id",
  at: "next_look_at",
  counter: "looks",
  where: sql`state = 'processing'`,
  pause: pauseAfterLookUps,
  returning: sql`taken.network_id, taken.attorney_id, taken.payment_id`,
};

/** Look up a payment at its processor now and record the answer. */
export async function confirmPayment(
  context: CardPaymentContext,
  key: PaymentKey,
  author: ChangeAuthor,
): Promise<PaymentOutcome & { outcome: LookUpOutcome }> {
  const { account, charge } = await chargeOf(context, key);
  const outcome = await callProcessor(context, `Looking up payment ${key.paymentId}`, () =>
    account.processor.lookUp(account.account, charge),
  );
  return { ...(await recordOutcome(context, key, outcome, author)), outcome };
}

/** The same for an administrator who does not want to wait for the job. Throws 404. */
export async function confirmPaymentNow(
  context: CardPaymentContext,
  admin: Admin,
  paymentId: number,
): Promise<void> {
  const known = await context.db
    .selectFrom("cardPayments")
    .select(["networkId", "attorneyId", "paymentId"])
    .where("networkId", "=", admin.networkId)
    .where("paymentId", "=", paymentId)
    .executeTakeFirst();
  if (!known) throw notFound("card payment");
  await confirmPayment(context, known, admin);
}

/** The charge to look up, and the account that charged it. */
async function chargeOf(
  context: CardPaymentContext,
  key: PaymentKey,
): Promise<{ account: CardAccount; charge: Charge }> {
  const made = await context.db
    .selectFrom("cardPayments as c")
    .innerJoin("payments as p", (join) =>
      join.onRef("p.networkId", "=", "c.networkId").onRef("p.id", "=", "c.paymentId"),
    )
    .selectAll("c")
    .select("p.amountCents")
    .where("c.networkId", "=", key.networkId)
    .where("c.paymentId", "=", key.paymentId)
    .executeTakeFirstOrThrow();
  return {
    account: await accountOf(context, made),
    charge: {
      reference: made.reference,
      amountCents: made.amountCents,
      transactionId: made.transactionId,
      startedAt: made.createdAt,
      session:
        made.sessionId === null ? null : await findSession(context, made.networkId, made.sessionId),
    },
  };
}

/** A session as its processor needs it. */
export async function findSession(
  context: CardPaymentContext,
  networkId: number,
  id: number,
): Promise<Session> {
  const session = await context.db
    .selectFrom("cardSessions")
    .select(["reference", "createdAt", "encryptedSecret", "amountCents"])
    .where("networkId", "=", networkId)
    .where("id", "=", id)
    .executeTakeFirstOrThrow();
  const { reference, encryptedSecret, amountCents } = session;
  return {
    reference,
    startedAt: session.createdAt,
    amountCents,
    secret:
      encryptedSecret &&
      decrypt(encryptedSecret, sessionOwner(networkId, reference), context.secret),
  };
}
