import { sql } from "kysely";
import { dollarsText } from "#kit/domain/money.ts";
import type { AttorneyActor } from "#kit/domain/actor.ts";
import { audit } from "#kit/db/audit.ts";
import { notifyOnCommit } from "#kit/db/changes.ts";
import type { Db } from "#kit/db/database.ts";
import { Refusal, refuseViolations } from "#kit/contract/refusal.ts";
import { inTransaction } from "#kit/db/transaction.ts";
import type { CardAccount } from "#cards/settings/card-accounts.ts";
import type { CardPaid } from "#cards/contract.ts";
import { lockDebitsToPay, type PaymentShare, sharesOf, totalOf } from "#payments/payments.ts";
import {
  scheduleReconcile,
  type SessionOfToken,
  findSessionByToken,
} from "#cards/session/session-of-token.ts";
import { sha256Of, referenceOf, type CardPaymentContext } from "#cards/card-payment-context.ts";
import { insertOnlinePayment, lockPayingAttorney } from "#cards/reconcile/found-charges.ts";

/*
 * Step 1 of a card payment: insert it and reserve its amounts before calling any processor, or find that it
 * was made before.
 */

export interface Attempt {
  using: CardAccount;
  wanted: CardPaid;
  shares: PaymentShare[];
  /** The session in which the browser showed the card, if the processor has sessions. */
  session: SessionOfToken | null;
  tokenHash: string;
  sharesHash: string;
  /** Derived from the debits, amounts and token: the same request always gets the same one. */
  reference: string;
}

export async function prepareAttempt(
  context: CardPaymentContext,
  actor: AttorneyActor,
  using: CardAccount,
  wanted: CardPaid,
): Promise<Attempt> {
  const shares = sharesOf(wanted.payment_hash);
  const what = shares.flatMap((share) => [share.debitId, share.amountCents]);
  const who = [actor.networkId, actor.attorneyId];
  return {
    using,
    wanted,
    shares,
    session: await findSessionByToken(context, actor, using, wanted.token, totalOf(shares)),
    tokenHash: sha256Of(wanted.token),
    sharesHash: sha256Of(...who, ...what),
    reference: referenceOf(...who, ...what, wanted.token),
  };
}

export interface ExistingPayment {
  paymentId: number;
  createdAt: string;
}

/**
 * The earlier payment that this one repeats: it has the same token, or was found in the token's session, or
 * has the same name and was not declined.
 */
export async function findExistingPayment(
  db: Db,
  actor: AttorneyActor,
  wanted: Pick<CardPaid, "token" | "idempotency_key">,
): Promise<ExistingPayment | undefined> {
  const key = wanted.idempotency_key ?? null;
  const { rows } = await sql<ExistingPayment>`
    select payment_id, iso(created_at) as created_at from card_payments
    where network_id = ${actor.networkId} and attorney_id = ${actor.attorneyId} and (
      token_hash = ${sha256Of(wanted.token)} or transaction_id = ${wanted.token}
      or session_id in (
        select id from card_sessions where network_id = ${actor.networkId}
          and attorney_id = ${actor.attorneyId} and handle = ${wanted.token})
      or (idempotency_key = ${key} and state <> 'declined'))
    order by state = 'declined', payment_id desc limit 1`.execute(db);
  return rows[0];
}

/** Answers the inserted payment, or the one that another request has just inserted. */
export async function beginPayment(
  context: CardPaymentContext,
  actor: AttorneyActor,
  attempt: Attempt,
): Promise<ExistingPayment & { isNew: boolean }> {
  try {
    return await inTransaction(context.db, async (tx) => {
      await lockPayingAttorney(tx, actor.networkId, actor.attorneyId);
      const earlier = await findExistingPayment(tx, actor, attempt.wanted);
      if (earlier) return { ...earlier, isNew: false };
      if (context.limits) await refuseTooManyDeclined(tx, actor);
      await refuseSamePaymentUnderWay(tx, actor, attempt);
      await lockDebitsToPay(tx, actor, attempt.shares);
      return { ...(await insertCardPayment(tx, context, actor, attempt)), isNew: true };
    });
  } catch (problem) {
    // The browser may already have charged the card, so do not wait for the session's end to find the
    // charge.
    const { session } = attempt;
    if (session && session.amountCents !== null && problem instanceof Refusal)
      throw await scheduleReconcile(context, actor, session.id, problem);
    throw problem;
  }
}

/**
 * The same amounts on the same debits are being paid with another token: a second press, not a second
 * payment.
 */
async function refuseSamePaymentUnderWay(
  tx: Db,
  actor: AttorneyActor,
  attempt: Attempt,
): Promise<void> {
  const samePayment = await tx
    .selectFrom("cardPayments")
    .select("paymentId")
    .where("networkId", "=", actor.networkId)
    .where("attorneyId", "=", actor.attorneyId)
    .where("sharesHash", "=", attempt.sharesHash)
    .where("state", "=", "processing")
    .executeTakeFirst();
  if (samePayment) throw alreadyBeingMade();
}

const maxDeclines = 10;
const windowMinutes = 15;

/** Many declined cards suggest that somebody is testing stolen ones. */
async function refuseTooManyDeclined(tx: Db, actor: AttorneyActor): Promise<void> {
  const { rows } = await sql<{ declined: number }>`
    select count(*) as declined from card_payments
    where network_id = ${actor.networkId} and attorney_id = ${actor.attorneyId}
      and state = 'declined' and created_at > now() - make_interval(mins => ${windowMinutes})`.execute(
    tx,
  );
  if ((rows[0]?.declined ?? 0) < maxDeclines) return;
  throw new Refusal(429, "Too many cards were declined. Try again in 15 minutes.", {
    retryAfterSeconds: windowMinutes * 60,
  });
}

const alreadyBeingMade = () =>
  new Refusal(
    409,
    "This same payment is already being made. Wait for its outcome before paying again.",
  );

async function insertCardPayment(
  tx: Db,
  context: CardPaymentContext,
  actor: AttorneyActor,
  attempt: Attempt,
): Promise<ExistingPayment> {
  const { networkId, attorneyId } = actor;
  const { using, shares, session, tokenHash, sharesHash, reference } = attempt;
  const paymentId = await insertOnlinePayment(tx, {
    networkId,
    attorneyId,
    createdBy: actor.userId,
    shares,
  });
  const made = tx
    .insertInto("cardPayments")
    .values({
      networkId,
      paymentId,
      attorneyId,
      processor: using.processor.name,
      cardProcessorId: using.id,
      sessionId: session?.id ?? null,
      reference,
      tokenHash,
      sharesHash,
      idempotencyKey: attempt.wanted.idempotency_key ?? null,
      nextLookAt: context.now().add({ seconds: 2 }).toString(),
    })
    .returning(["paymentId", "createdAt"])
    .executeTakeFirstOrThrow();
  const begun = await refuseViolations({ card_payments_of_session: alreadyBeingMade }, made);
  await audit(tx, actor, {
    action: "began card payment",
    recordType: "payment",
    recordId: paymentId,
    after: {
      amount: dollarsText(totalOf(shares)),
      reference,
      debits: shares.map((share) => [share.debitId, dollarsText(share.amountCents)]),
    },
  });
  notifyOnCommit(tx, networkId, attorneyId);
  return begun;
}
