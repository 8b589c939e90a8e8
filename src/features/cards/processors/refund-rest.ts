import type { Cents } from "#domain/money.ts";
import { type ChargeEvent, unrefunded } from "#features/cards/processors/charge-events.ts";
import type { RefundOutcome } from "#features/cards/processors/processor.ts";

/**
 * Refund a charge, or the rest of it where a part was refunded in the processor's own pages: once the processor says
 * that so much is not left, what has happened is listed. Done where nothing is left.
 */
export async function refundRest(
  amountCents: Cents,
  refund: (amountCents: Cents) => Promise<RefundOutcome>,
  listEvents: () => Promise<ChargeEvent[]>,
): Promise<RefundOutcome> {
  const whole = await refund(amountCents);
  if (whole.kind !== "refused" || whole.exceedsRest !== true) return whole;
  const left = unrefunded(amountCents, await listEvents());
  if (left <= 0) return { kind: "done", how: "refunded" };
  return left < amountCents ? await refund(left) : whole;
}
