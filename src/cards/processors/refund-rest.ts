import { type Cents, formatMoney } from "#kit/domain/money.ts";
import { type ChargeEvent, unrefunded } from "#cards/processors/charge-events.ts";
import type { RefundOutcome, RefundRequest } from "#cards/processors/processor.ts";

export const isPart = ({ amountCents, chargedCents }: PartOfCharge) => amountCents < chargedCents;

type PartOfCharge = Pick<RefundRequest, "amountCents" | "chargedCents">;

/**
 * Refund an amount of a charge. If the processor says that less is left, its events are listed: for the
 * whole charge, or what we thought was the rest, refund what is left (done if nothing is); refuse any other
 * partial refund.
 */
export async function refundRest(
  request: Pick<RefundRequest, "amountCents" | "chargedCents" | "isRest">,
  refund: (amountCents: Cents) => Promise<RefundOutcome>,
  listEvents: () => Promise<ChargeEvent[]>,
): Promise<RefundOutcome> {
  const { amountCents, chargedCents, isRest } = request;
  const asked = await refund(amountCents);
  if (asked.kind !== "refused" || asked.exceedsRest !== true) return asked;
  const left = unrefunded(chargedCents, await listEvents());
  if (left >= amountCents) return asked;
  if (!isRest) return refuseAboveRest(left);
  return left > 0 ? await refund(left) : { kind: "done", how: "refunded" };
}

/** Refuses a partial refund larger than what is left; what used it up is found at the processor. */
export const refuseAboveRest = (left: Cents): RefundOutcome => ({
  kind: "refused",
  message: `Only ${formatMoney(left)} is left at the card processor. The rest was already refunded there.`,
  exceedsRest: true,
});

/** For processors where an unsettled charge can only be voided. */
export const refusePartUntilSettled = (processor: string): RefundOutcome => ({
  kind: "refused",
  message: `${processor} makes partial refunds only after the payment is settled. Try again tomorrow.`,
});
