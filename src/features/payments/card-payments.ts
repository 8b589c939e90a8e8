import { setTimeout as pause } from "node:timers/promises";
import { sql } from "kysely";
import { dayIn } from "#domain/calendar.ts";
import { dollarsText } from "#domain/money.ts";
import type { AttorneyActor } from "#server/actor.ts";
import { audit } from "#server/audit.ts";
import { announce } from "#server/changes.ts";
import type { Db } from "#server/database.ts";
import { Answer, type WireJson } from "#server/envelope.ts";
import { Refusal, refusing } from "#server/refusal.ts";
import { inTransaction } from "#server/transaction.ts";
import { showAttorneyRecord } from "#features/attorneys/attorney-record.ts";
import { accountInUseOrRefuse, type CardAccount } from "#features/payments/card-accounts.ts";
import { hurryOn, sessionOfToken } from "#features/payments/card-sessions.ts";
import { confirm, sessionOf } from "#features/payments/confirmation.ts";
import type { CardPaid } from "#features/payments/contract.ts";
import type { PaymentKey, Settled } from "#features/payments/locked-payment.ts";
import { payerOf } from "#features/payments/payer.ts";
import {
  lockDebitsToPay,
  type PaymentShare,
  sharesOf,
  totalOf,
} from "#features/payments/payments.ts";
import type { NewCharge } from "#features/payments/processors/processor.ts";
import { declineMessage, settle } from "#features/payments/settlement.ts";
import { asked, fingerprint, referenceOf, type Till } from "#features/payments/till.ts";
import { insertOnlinePayment, lockAttorney } from "#features/payments/unapplied.ts";

/**
 * Pay debits by card, in three steps that a crash between any two cannot break: write the payment
 * down and reserve its amounts; charge the card outside any transaction; post or release. The same
 * token again, or the same idempotency key, answers the first result and charges nothing.
 * Throws 422 with the processor's reason when the card is declined; 404, 409 and 422 as
 * `lockDebitsToPay` says. Answers 202 while the outcome is not known. Source: domain rules §4.
 */
export async function payByCard(
  till: Till,
  actor: AttorneyActor,
  wanted: CardPaid,
): Promise<Answer<WireJson>> {
  const earlier = await findEarlier(till.db, actor, wanted);
  if (earlier) return await answerEarlier(till, actor, earlier);
  const using = await accountInUseOrRefuse(till, actor.networkId);
  const attempt = await prepare(till, actor, using, wanted);
  const begun = await begin(till, actor, attempt);
  if (!begun.isNew) return await answerEarlier(till, actor, begun);
  const charge = await chargeFor(till, actor, attempt, begun.createdAt);
  const outcome = await asked(till, `Charging payment ${begun.paymentId}`, () =>
    using.processor.charge(using.account, charge),
  );
  const key = { networkId: actor.networkId, attorneyId: actor.attorneyId, ...begun };
  return await answer(till, actor, await settle(till, key, outcome, actor));
}

interface Attempt {
  using: CardAccount;
  wanted: CardPaid;
  shares: PaymentShare[];
  /** The session in which the browser showed the card, where the processor has such. */
  sessionId: number | null;
  tokenHash: string;
  sharesHash: string;
  /** Made of what is paid and with what: the same request makes the same one. */
  reference: string;
}

async function prepare(
  till: Till,
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
    sessionId: await sessionOfToken(till, actor, using, wanted.token, totalOf(shares)),
    tokenHash: fingerprint(wanted.token),
    sharesHash: fingerprint(...who, ...what),
    reference: referenceOf(...who, ...what, wanted.token),
  };
}

interface Earlier {
  paymentId: number;
  createdAt: string;
}

/** The payment that this one repeats: made with the same token, or under the same name and not declined. */
async function findEarlier(
  db: Db,
  actor: AttorneyActor,
  wanted: CardPaid,
): Promise<Earlier | undefined> {
  const key = wanted.idempotency_key ?? null;
  const { rows } = await sql<Earlier>`
    select payment_id, iso(created_at) as created_at from card_payments
    where network_id = ${actor.networkId} and attorney_id = ${actor.attorneyId} and (
      token_hash = ${fingerprint(wanted.token)} or transaction_id = ${wanted.token}
      or (idempotency_key = ${key} and state <> 'declined'))
    order by state = 'declined', payment_id desc limit 1`.execute(db);
  return rows[0];
}

/** Step 1. Answers the payment written, or the one that another request has just written. */
async function begin(
  till: Till,
  actor: AttorneyActor,
  attempt: Attempt,
): Promise<Earlier & { isNew: boolean }> {
  try {
    return await inTransaction(till.db, async (tx) => {
      await lockAttorney(tx, actor.networkId, actor.attorneyId);
      const earlier = await findEarlier(tx, actor, attempt.wanted);
      if (earlier) return { ...earlier, isNew: false };
      if (till.limits) await refuseTooManyDeclined(tx, actor);
      await refuseTwin(tx, actor, attempt);
      await lockDebitsToPay(tx, actor, attempt.shares);
      return { ...(await writeDown(tx, till, actor, attempt)), isNew: true };
    });
  } catch (problem) {
    // The browser may have charged the card already: what it charged must not wait for its session's end.
    const isCharged =
      attempt.using.processor.sessions?.browserCharges && attempt.sessionId !== null;
    if (isCharged && problem instanceof Refusal) throw await hurryOn(till, actor, attempt, problem);
    throw problem;
  }
}

/** The same amounts on the same debits, still under way with another token: a second press, not a second payment. */
async function refuseTwin(tx: Db, actor: AttorneyActor, attempt: Attempt): Promise<void> {
  const twin = await tx
    .selectFrom("cardPayments")
    .select("paymentId")
    .where("networkId", "=", actor.networkId)
    .where("attorneyId", "=", actor.attorneyId)
    .where("sharesHash", "=", attempt.sharesHash)
    .where("state", "=", "processing")
    .executeTakeFirst();
  if (twin) throw underWay();
}

const greatestDeclines = 10;
const windowMinutes = 15;

/** Whoever tries out stolen cards is declined again and again. */
async function refuseTooManyDeclined(tx: Db, actor: AttorneyActor): Promise<void> {
  const { rows } = await sql<{ declined: number }>`
    select count(*) as declined from card_payments
    where network_id = ${actor.networkId} and attorney_id = ${actor.attorneyId}
      and state = 'declined' and created_at > now() - make_interval(mins => ${windowMinutes})`.execute(
    tx,
  );
  if ((rows[0]?.declined ?? 0) < greatestDeclines) return;
  throw new Refusal(429, "Too many cards were declined. Try again in a quarter of an hour.", {
    retryAfterSeconds: windowMinutes * 60,
  });
}

const underWay = () =>
  new Refusal(
    409,
    "Exactly this payment is being made already. Wait for its outcome before paying again.",
  );

async function writeDown(
  tx: Db,
  till: Till,
  actor: AttorneyActor,
  attempt: Attempt,
): Promise<Earlier> {
  const { networkId, attorneyId } = actor;
  const { using, shares, sessionId, tokenHash, sharesHash, reference } = attempt;
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
      sessionId,
      reference,
      tokenHash,
      sharesHash,
      idempotencyKey: attempt.wanted.idempotency_key ?? null,
      nextLookAt: till.now().add({ seconds: 2 }).toString(),
    })
    .returning(["paymentId", "createdAt"])
    .executeTakeFirstOrThrow();
  const begun = await refusing({ card_payments_of_session: underWay }, made);
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
  announce(tx, networkId, attorneyId);
  return begun;
}

async function chargeFor(
  till: Till,
  actor: AttorneyActor,
  attempt: Attempt,
  startedAt: string,
): Promise<NewCharge> {
  const { sessionId, reference, shares } = attempt;
  return {
    reference,
    amountCents: totalOf(shares),
    transactionId: null,
    startedAt,
    session: sessionId === null ? null : await sessionOf(till, actor.networkId, sessionId),
    token: attempt.wanted.token,
    description: `Dues to ${actor.networkName}`,
    payer: await payerOf(till.db, actor),
  };
}

/** What became of the first request: at once if it is settled, else by asking the processor now. */
async function answerEarlier(
  till: Till,
  actor: AttorneyActor,
  earlier: Earlier,
): Promise<Answer<WireJson>> {
  const key = { networkId: actor.networkId, attorneyId: actor.attorneyId, ...earlier };
  const known = await standingOf(till.db, key);
  if (known.state !== "processing") return await answer(till, actor, known);
  const asked = await confirm(till, key, actor);
  const isForThePayer = asked.outcome.kind === "unknown" && asked.outcome.challenge !== undefined;
  if (asked.state !== "processing" || isForThePayer) return await answer(till, actor, asked);
  return await answer(till, actor, await waitForOther(till, key));
}

/** The request that made the payment may still be charging: its outcome comes within moments or not at all. */
async function waitForOther(till: Till, key: PaymentKey): Promise<Settled> {
  const end = performance.now() + Math.min(3000, till.timeoutMs);
  let known = await standingOf(till.db, key);
  while (known.state === "processing" && performance.now() < end) {
    await pause(100);
    known = await standingOf(till.db, key);
  }
  return known;
}

async function standingOf(db: Db, key: { networkId: number; paymentId: number }): Promise<Settled> {
  return await db
    .selectFrom("cardPayments")
    .select(["state", "message"])
    .where("networkId", "=", key.networkId)
    .where("paymentId", "=", key.paymentId)
    .executeTakeFirstOrThrow();
}

async function answer(
  till: Till,
  actor: AttorneyActor,
  settled: Settled,
): Promise<Answer<WireJson>> {
  if (settled.state === "declined") throw new Refusal(422, declineMessage(settled));
  const today = dayIn(actor.timeZone, till.now());
  const record = await showAttorneyRecord(till.db, actor, actor.attorneyId, today);
  if (settled.state === "processing") return new Answer(record, 202, beingConfirmed);
  return new Answer(record, 200, settled.state === "refunded" ? wasGivenBack : null);
}

const beingConfirmed =
  "Your payment is being confirmed with the card processor. It will appear as paid once it is; there is no need to pay again.";
const wasGivenBack = "This payment was made and has been given back.";

/** What the payer's bank wants confirmed in the browser for a payment that is not settled yet. */
export async function findChallenge(
  till: Till,
  actor: AttorneyActor,
  token: string,
): Promise<{ challenge: string | null }> {
  const earlier = await findEarlier(till.db, actor, { token, payment_hash: {} });
  if (!earlier) throw new Refusal(404, "There is no such payment.");
  const key = { networkId: actor.networkId, attorneyId: actor.attorneyId, ...earlier };
  if ((await standingOf(till.db, key)).state !== "processing") return { challenge: null };
  const { outcome } = await confirm(till, key, actor);
  return { challenge: (outcome.kind === "unknown" && outcome.challenge) || null };
}
