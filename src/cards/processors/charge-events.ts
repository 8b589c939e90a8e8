import { type Cents, cents, negated, sum } from "#kit/domain/money.ts";

/** What has happened at the processor to a charge whose money was taken. Source: docs/adding-a-processor.md */
export interface ChargeEvent {
  /** A void is a refund of the whole. A chargeback is listed once its money has left the network's account. */
  kind: "refund" | "chargeback" | "chargeback_reversed";
  amountCents: Cents;
  /** An instant (ISO 8601) or a day, as the processor says it; null where it says none, as of most voids. */
  on: string | null;
  /** The processor's own id of the refund or dispute, always the same: with `kind` it records an event once. */
  processorId: string;
  /** Ours, where it was asked for here and the processor keeps it; may be another text of the merchant's, or null. */
  reference: string | null;
}

interface TakenCharge {
  transactionId: string;
  amountCents: Cents;
  since?: ChargeEvent[];
}

/** A void has no id of its own: the charge's stands for it. */
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

/** How a charge was given back as a whole: by a void, or by refunds that add up to it; null where it was not. */
export function howReturned(charge: TakenCharge): "voided" | "refunded" | null {
  const { transactionId, amountCents, since = [] } = charge;
  if (unrefunded(amountCents, since) > 0) return null;
  return since.some(({ processorId }) => processorId === transactionId) ? "voided" : "refunded";
}

/** The part of a charge that was not refunded. */
export function unrefunded(amountCents: Cents, since: ChargeEvent[]): Cents {
  const refunds = since.filter(({ kind }) => kind === "refund");
  return cents(amountCents + negated(sum(refunds.map((refund) => refund.amountCents))));
}
