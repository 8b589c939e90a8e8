import { sql } from "kysely";
import { dollarsText } from "#kit/domain/money.ts";
import type { ChangeAuthor } from "#kit/domain/actor.ts";
import { audit } from "#kit/db/audit.ts";
import { notifyOnCommit } from "#kit/db/changes.ts";
import type { Db } from "#kit/db/database.ts";
import { type CardPaymentState, ProcessorName } from "#cards/shapes.ts";
import { processorLabels } from "#kit/domain/processors.ts";
import { lockPayingAttorney } from "#cards/reconcile/found-charges.ts";

export interface PaymentKey {
  networkId: number;
  attorneyId: number;
  paymentId: number;
}

export interface PaymentOutcome {
  state: CardPaymentState;
  /** The message to the payer of a declined payment. */
  message: string | null;
}

export type LockedPayment = Awaited<ReturnType<typeof lockPayment>>;

/**
 * Locks in the same order as paying: the attorney, the payment's credits, the debits it paid through shares
 * or credit, then the payment. `chargesToo`: the attorney is also charged, which other credit may pay.
 */
export async function lockPayment(tx: Db, key: PaymentKey, { chargesToo = false } = {}) {
  const { networkId, attorneyId, paymentId } = key;
  await lockPayingAttorney(tx, networkId, attorneyId);
  await sql`
    select k.id from credits k
    where k.network_id = ${networkId} and k.attorney_id = ${attorneyId}
      and (k.payment_id = ${paymentId} ${chargesToo ? sql`or k.left_cents > 0` : sql``})
    order by k.id for update`.execute(tx);
  await sql`
    select d.id from debits d
    where d.network_id = ${networkId} and d.id in (
      select s.debit_id from payment_allocations s
      where s.network_id = ${networkId} and s.payment_id = ${paymentId}
      union all
      select e.debit_id from credits k
      join entries e on e.network_id = k.network_id and e.credit_id = k.id and e.debit_id is not null
      where k.network_id = ${networkId} and k.payment_id = ${paymentId})
    order by d.id for update`.execute(tx);
  return await tx
    .selectFrom("cardPayments as c")
    .innerJoin("payments as p", (join) =>
      join.onRef("p.networkId", "=", "c.networkId").onRef("p.id", "=", "c.paymentId"),
    )
    .selectAll("c")
    .select("p.amountCents")
    .where("c.networkId", "=", key.networkId)
    .where("c.paymentId", "=", key.paymentId)
    .forUpdate("c")
    .executeTakeFirstOrThrow();
}

export const confirmationJob = (networkId: number): ChangeAuthor => ({
  networkId,
  userId: null,
  name: "Confirmation of card payments",
});

/** A card processor, as named in the audit trail: it decides the outcome of a charge, even if a person looked it up. */
export const processorAsDoer = (of: { networkId: number; processor: string }): ChangeAuthor => ({
  networkId: of.networkId,
  userId: null,
  name: processorLabels[ProcessorName.parse(of.processor)],
});

/**
 * Write an audit entry for a payment, by its processor unless another author is given, and notify its
 * screens.
 */
export async function auditPaymentChange(
  tx: Db,
  payment: LockedPayment,
  action: string,
  more: object,
  author = processorAsDoer(payment),
): Promise<void> {
  await audit(tx, author, {
    action,
    recordType: "payment",
    recordId: payment.paymentId,
    before: { state: payment.state },
    after: { amount: dollarsText(payment.amountCents), reference: payment.reference, ...more },
  });
  notifyOnCommit(tx, payment.networkId, payment.attorneyId);
}
