import { type Cents, formatMoney } from "#kit/domain/money.ts";
import { type ChargeEvent, unrefunded } from "#cards/processors/charge-events.ts";
import type { RefundOutcome, RefundRequest } from "#cards/processors/processor.ts";

export const isPart = ({ amountCents, chargedCents }: PartOfCharge) => amountCents < chargedCents;

type PartOfCharge = Pick<RefundRequest, "amountCents" | "chargedCents">;

/**
 * Refund an amount of a charge. Once the processor says that so much is not left, what has happened is listed: of the
 * whole charge, or of what we took for its rest, what is left is refunded, done where nothing is; a part is refused.
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
  if (!isRest) return notLeft(left);
  return left > 0 ? await refund(left) : { kind: "done", how: "refunded" };
}

/** A part that is no longer left: what took it is found at the processor. */
export const notLeft = (left: Cents): RefundOutcome => ({
  kind: "refused",
  message: `Only ${formatMoney(left)} is left at the card processor; the rest was refunded there.`,
  exceedsRest: true,
});

/** Where a charge that is not settled can only be voided. */
export const onlyOnceSettled = (processor: string): RefundOutcome => ({
  kind: "refused",
  message: `${processor} refunds a part only once the payment is settled: try again tomorrow.`,
});
