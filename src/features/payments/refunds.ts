import { sql } from "kysely";
import { type Cents, cents, dollarsText } from "#domain/money.ts";
import type { Admin, Doer } from "#server/actor.ts";
import { audit } from "#server/audit.ts";
import type { Db } from "#server/database.ts";
import { Answer, type WireJson } from "#server/envelope.ts";
import { notFound, Refusal, refusing } from "#server/refusal.ts";
import { inTransaction } from "#server/transaction.ts";
import { accountOf } from "#features/payments/card-accounts.ts";
import { showCard, showUnapplied } from "#features/payments/card-lists.ts";
import { confirmer, pauseAfter } from "#features/payments/confirmation.ts";
import type { GiveBackOutcome } from "#features/payments/processors/processor.ts";
import { resolveUnapplied, reversePayment } from "#features/payments/settlement.ts";
import { asked, referenceOf, type Till } from "#features/payments/till.ts";

/**
 * Give a card payment back as a whole, crash-safe as charging is: the intent is written down, the
 * processor voids or refunds, the ledger reopens the debits by reversals. Throws 404 for no card
 * payment of the network, 409 when it is not one that was charged or has been given back already,
 * 422 with the processor's reason when that refuses. Answers 202 while the outcome is not known.
 */
export async function refundCardPayment(
  till: Till,
  admin: Admin,
  paymentId: number,
  reason: string,
): Promise<Answer<WireJson>> {
  const id = await inTransaction(till.db, async (tx) => {
    const payment = await tx
      .selectFrom("cardPayments as c")
      .innerJoin("payments as p", (join) =>
        join.onRef("p.networkId", "=", "c.networkId").onRef("p.id", "=", "c.paymentId"),
      )
      .selectAll("c")
      .select("p.amountCents")
      .where("c.networkId", "=", admin.networkId)
      .where("c.paymentId", "=", paymentId)
      .forUpdate("c")
      .executeTakeFirst();
    if (!payment) throw notFound("card payment");
    if (payment.state !== "captured" || payment.transactionId === null)
      throw new Refusal(409, whyNotNow[payment.state] ?? "");
    const left = await unappliedOf(tx, admin.networkId, paymentId);
    const charge = {
      ...payment,
      transactionId: payment.transactionId,
      amountCents: cents(payment.amountCents + left),
      unappliedPaymentId: null,
    };
    return await writeDown(tx, till, admin, charge, reason);
  });
  const state = await carryOut(till, { networkId: admin.networkId, id }, admin);
  return answer(state, await showCard(till.db, admin, paymentId));
}

const whyNotNow: Record<string, string> = {
  processing: "This payment is still being confirmed: it can be refunded once it is paid.",
  declined: "This payment was declined: nothing was charged, so nothing can be refunded.",
  refunded: "This payment has already been refunded.",
};

/** The same for a charge of which nothing was posted. */
export async function refundUnappliedCharge(
  till: Till,
  admin: Admin,
  unappliedId: number,
  reason: string,
): Promise<Answer<WireJson>> {
  const id = await inTransaction(till.db, async (tx) => {
    const charge = await tx
      .selectFrom("unappliedPayments")
      .selectAll()
      .where("networkId", "=", admin.networkId)
      .where("id", "=", unappliedId)
      .forUpdate()
      .executeTakeFirst();
    if (!charge) throw notFound("unapplied payment");
    if (charge.resolvedAt) throw new Refusal(409, "This charge has already been refunded.");
    if (charge.paymentId !== null)
      throw new Refusal(409, "Part of this charge was posted: refund its payment as a whole.");
    const whole = { ...charge, unappliedPaymentId: charge.id };
    return await writeDown(tx, till, admin, whole, reason);
  });
  const state = await carryOut(till, { networkId: admin.networkId, id }, admin);
  return answer(state, await showUnapplied(till.db, admin, unappliedId));
}

interface ChargeToReturn {
  networkId: number;
  processor: string;
  cardProcessorId: number;
  transactionId: string;
  amountCents: Cents;
  paymentId: number | null;
  unappliedPaymentId: number | null;
}

async function unappliedOf(tx: Db, networkId: number, paymentId: number): Promise<number> {
  const left = await tx
    .selectFrom("unappliedPayments")
    .select("amountCents")
    .where("networkId", "=", networkId)
    .where("paymentId", "=", paymentId)
    .executeTakeFirst();
  return left?.amountCents ?? 0;
}

/** The intent, before the processor is asked: one at a time for a charge. Answers its id. */
async function writeDown(
  tx: Db,
  till: Till,
  admin: Admin,
  charge: ChargeToReturn,
  reason: string,
): Promise<number> {
  const { networkId, processor, transactionId, paymentId, unappliedPaymentId } = charge;
  const { rows } = await sql<{ failed: number }>`
    select count(*) as failed from card_refunds
    where network_id = ${networkId} and processor = ${processor} and transaction_id = ${transactionId}
      and state = 'failed'`.execute(tx);
  const written = tx
    .insertInto("cardRefunds")
    .values({
      networkId,
      processor,
      cardProcessorId: charge.cardProcessorId,
      transactionId,
      paymentId,
      unappliedPaymentId,
      reference: referenceOf(networkId, processor, transactionId, "refund", rows[0]?.failed ?? 0),
      amountCents: charge.amountCents,
      reason,
      requestedBy: admin.userId,
      requestedByName: admin.name,
      nextLookAt: till.now().add({ seconds: 60 }).toString(),
    })
    .returning("id")
    .executeTakeFirstOrThrow();
  const { id } = await refusing(
    { card_refunds_once: underWay, card_refunds_network_id_reference_key: underWay },
    written,
  );
  await audit(tx, admin, {
    action: "asked for refund",
    recordType: paymentId === null ? "unapplied payment" : "payment",
    recordId: paymentId ?? unappliedPaymentId,
    after: { amount: dollarsText(charge.amountCents), reason },
  });
  return id;
}

const underWay = () => new Refusal(409, "This payment is being refunded already.");

interface RefundKey {
  networkId: number;
  id: number;
}

interface RefundState {
  state: "requested" | "done" | "failed";
  problem: string | null;
}

/** Ask the processor, and write its answer down; asking again never gives back twice. */
async function carryOut(till: Till, key: RefundKey, doer: Doer): Promise<RefundState> {
  const refund = await till.db
    .selectFrom("cardRefunds as r")
    .leftJoin("cardPayments as c", (join) =>
      join.onRef("c.networkId", "=", "r.networkId").onRef("c.paymentId", "=", "r.paymentId"),
    )
    .leftJoin("unappliedPayments as u", (join) =>
      join.onRef("u.networkId", "=", "r.networkId").onRef("u.id", "=", "r.unappliedPaymentId"),
    )
    .selectAll("r")
    .select(["c.reference as chargeReference", "c.cardLastFour", "c.createdAt as chargedAt"])
    .select(["u.reference as unappliedReference", "u.createdAt as foundAt"])
    .where("r.networkId", "=", key.networkId)
    .where("r.id", "=", key.id)
    .executeTakeFirstOrThrow();
  const outcome = await asked(till, `Refund ${key.id}`, async () => {
    const { processor, account } = await accountOf(till, refund);
    return await processor.giveBack(account, {
      transactionId: refund.transactionId,
      chargeReference: refund.chargeReference ?? refund.unappliedReference ?? "",
      amountCents: refund.amountCents,
      chargedAt: refund.chargedAt ?? refund.foundAt ?? refund.createdAt,
      lastFour: refund.cardLastFour ?? "",
      reference: refund.reference,
      requestedAt: refund.createdAt,
    });
  });
  return await inTransaction(till.db, (tx) => settleRefund(tx, key, outcome, doer));
}

async function settleRefund(
  tx: Db,
  key: RefundKey,
  outcome: GiveBackOutcome,
  doer: Doer,
): Promise<RefundState> {
  const refund = await tx
    .selectFrom("cardRefunds")
    .selectAll()
    .where("networkId", "=", key.networkId)
    .where("id", "=", key.id)
    .executeTakeFirstOrThrow();
  const attorneyId = await attorneyOf(tx, refund);
  if (outcome.kind === "done") {
    if (refund.paymentId !== null)
      await reversePayment(tx, { ...key, attorneyId, paymentId: refund.paymentId }, doer);
    else await resolveUnapplied(tx, refund);
  }
  const written = await tx
    .updateTable("cardRefunds")
    .set(changeFor(outcome))
    .where("networkId", "=", key.networkId)
    .where("id", "=", key.id)
    .where("state", "=", "requested")
    .returning(["state", "problem"])
    .executeTakeFirst();
  return written ?? refund;
}

function changeFor(outcome: GiveBackOutcome) {
  const settled = { nextLookAt: null, settledAt: sql<string>`now()` };
  if (outcome.kind === "unknown") return { problem: outcome.problem };
  if (outcome.kind === "refused")
    return { state: "failed" as const, problem: outcome.message, ...settled };
  return { state: "done" as const, kind: outcome.how, problem: null, ...settled };
}

async function attorneyOf(
  tx: Db,
  refund: { networkId: number; paymentId: number | null; unappliedPaymentId: number | null },
): Promise<number> {
  const { rows } = await sql<{ attorneyId: number }>`
    select attorney_id from payments where network_id = ${refund.networkId} and id = ${refund.paymentId}
    union all
    select attorney_id from unapplied_payments
    where network_id = ${refund.networkId} and id = ${refund.unappliedPaymentId} limit 1`.execute(
    tx,
  );
  return rows[0]?.attorneyId ?? 0;
}

function answer(refund: RefundState, shown: WireJson): Answer<WireJson> {
  if (refund.state === "failed")
    throw new Refusal(422, refund.problem ?? "The card processor refused the refund.");
  if (refund.state === "done") return new Answer(shown, 200);
  return new Answer(
    shown,
    202,
    "The refund is being confirmed with the card processor. The balance reopens once it is.",
  );
}

/** Finish the refunds whose outcome is not known. Any number of workers share them. */
export async function carryOutWhatIsOpen(till: Till): Promise<void> {
  const now = till.now().toString();
  for (;;) {
    const { rows } = await sql<RefundKey>`
      update card_refunds
      set looks = looks + 1, next_look_at = ${now}::timestamptz + ${pauseAfter(sql.ref("looks"))} + interval '1 minute'
      where (network_id, id) in (
        select network_id, id from card_refunds
        where state = 'requested' and next_look_at <= ${now}::timestamptz
        order by next_look_at limit 20 for update skip locked)
      returning network_id, id`.execute(till.db);
    if (rows.length === 0) return;
    await Promise.all(rows.map((key) => carryOutQuietly(till, key)));
  }
}

/** One refund that fails does not hold up the others. */
async function carryOutQuietly(till: Till, key: RefundKey): Promise<void> {
  try {
    await carryOut(till, key, confirmer(key.networkId));
  } catch (problem) {
    till.log(`Refund ${key.id}: ${problem instanceof Error ? problem.message : "failed"}`);
  }
}
