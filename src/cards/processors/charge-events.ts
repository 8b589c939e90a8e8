import { type Cents, cents, negated, sum } from "#kit/domain/money.ts";

/**
 * Something that happened at the processor to a charge after its money was taken. Source:
 * docs/adding-a-processor.md
 */
export interface ChargeEvent {
  /**
   * A void is a refund of the whole charge. A chargeback is listed once its money has left the network's
   * account.
   */
  kind: "refund" | "chargeback" | "chargeback_reversed";
  amountCents: Cents;
  /** An instant (ISO 8601) or a day, as the processor gives it; null if it gives none, as for most voids. */
  on: string | null;
  /**
   * The processor's id of the refund or dispute, always the same: with `kind`, it ensures that an event is
   * recorded once.
   */
  processorId: string;
  /**
   * Our reference, if the refund was requested here and the processor keeps it; may be another text of the
   * merchant, or null.
   */
  reference: string | null;
}

interface TakenCharge {
  transactionId: string;
  amountCents: Cents;
  since?: ChargeEvent[];
}

/** A void has no id of its own, so it uses the charge's id. */
export const voidOf = (
  { transactionId, amountCents }: TakenCharge,
  on: string | null = null,
): ChargeEvent => ({
  kind: "refund",
  amountCents,
  on,
  processorId: transactionId,
  reference: null,
});

/** How a charge was fully returned: by a void, or by refunds that add up to it; null if it was not. */
export function fullRefundKind(charge: TakenCharge): "voided" | "refunded" | null {
  const { transactionId, amountCents, since = [] } = charge;
  if (unrefunded(amountCents, since) > 0) return null;
  return since.some(({ processorId }) => processorId === transactionId) ? "voided" : "refunded";
}

export function unrefunded(amountCents: Cents, since: ChargeEvent[]): Cents {
  const refunds = since.filter(({ kind }) => kind === "refund");
  return cents(amountCents + negated(sum(refunds.map((refund) => refund.amountCents))));
}
