import { sql } from "kysely";
import type { ChangeAuthor } from "#kit/domain/actor.ts";
import type { Day } from "#kit/domain/day.ts";
import { type Cents, cents, zero } from "#kit/domain/money.ts";
import type { Db } from "#kit/db/database.ts";
import { type LockedPayment, processorAsDoer } from "#cards/charge/locked-payment.ts";
import type { ChargeEvent } from "#cards/processors/charge-events.ts";
import type { CardPaymentContext } from "#cards/card-payment-context.ts";
import { finishFoundRefund, insertRefundFromProcessor } from "#cards/refund/refund-record.ts";
import { chargeFeeOfChargeback, usualFeeOfChargeback } from "#cards/transactions/chargeback-fee.ts";
import {
  chargedBackOf,
  receivedOf,
  clearExcessProblem,
  recordTransaction,
  setExcessProblem,
} from "#cards/transactions/record-transaction.ts";

/**
 * Record what happened to a charge at its processor, each event once, and charge the network's chargeback
 * fee. Of each kind, records only the amount that is not recorded yet, whether by the processor's id, by
 * our reference, by hand or without an id. If more was refunded or charged back than the payment received,
 * sets the payment's problem. Source: book rules 6, 7.
 */
export async function recordChargeEvents(
  tx: Db,
  context: CardPaymentContext,
  payment: LockedPayment,
  events: ChargeEvent[],
): Promise<void> {
  const ourRefund = await findOpenRefund(tx, payment);
  let excessCents: number = zero;
  for (const kind of ["refund", "chargeback", "chargeback_reversed"] as const) {
    const listed = events.filter((event) => event.kind === kind);
    for (const found of await findNewEvents(tx, context, payment, listed, ourRefund)) {
      // Never more than was received; and a won chargeback returns only what it took.
      const isBack = kind === "chargeback_reversed";
      const most = await (isBack ? chargedBackOf : receivedOf)(tx, payment);
      const amountCents = cents(Math.min(found.amountCents, most));
      if (amountCents > 0) await recordEvent(tx, context, payment, { ...found, amountCents });
      excessCents += (found.amountCents - Math.max(amountCents, 0)) * (isBack ? -1 : 1);
    }
  }
  if (excessCents > 0) await setExcessProblem(tx, payment);
  else if (events.length > 0) await clearExcessProblem(tx, payment);
}

/** Our refund that is being confirmed. Its event has our reference; if it was a void, the event has none. */
type OurRefund = NonNullable<Awaited<ReturnType<typeof findOpenRefund>>>;

/** An event to record, with the amount that is new. */
interface NewEvent {
  event: ChargeEvent;
  amountCents: Cents;
  ours?: OurRefund | undefined;
  /** The event is already recorded with a smaller amount: this is the difference. */
  isMore?: boolean;
  /** An entry made by hand already covers the other part of the event. */
  isRest?: boolean;
}

async function recordEvent(
  tx: Db,
  context: CardPaymentContext,
  payment: LockedPayment,
  { event, amountCents, ours, isMore = false, isRest = false }: NewEvent,
): Promise<void> {
  const { kind, processorId } = event;
  const on = await dayOf(tx, payment, event);
  const happened = { kind, amountCents, on, processorId: isMore ? null : processorId };
  if (ours) {
    const author: ChangeAuthor = {
      ...payment,
      userId: ours.requestedBy,
      name: ours.requestedByName,
    };
    const refund = { by: "here", refundId: ours.id, note: ours.reason } as const;
    await recordTransaction(tx, payment, { ...happened, ...refund }, { author });
    await finishFoundRefund(tx, context, payment, { id: ours.id, processorId });
    return;
  }
  const refundId =
    kind === "refund" && !isMore
      ? await insertRefundFromProcessor(tx, context, payment, { processorId, amountCents })
      : undefined;
  await recordTransaction(
    tx,
    payment,
    { ...happened, by: "processor", ...(refundId && { refundId }) },
    { author: processorAsDoer(payment) },
  );
  if (kind !== "chargeback" || isMore || isRest) return; // the first part already charged the fee
  const fee = await usualFeeOfChargeback(tx, payment.networkId);
  if (fee > 0) await chargeFeeOfChargeback(tx, payment, fee, processorAsDoer(payment));
}

/**
 * The events of one kind, less what is already recorded. A known event gets its processor's id. An amount
 * recorded without an id, or above its event's amount, covers other events, earliest first.
 */
async function findNewEvents(
  tx: Db,
  context: CardPaymentContext,
  payment: LockedPayment,
  events: ChargeEvent[],
  ourRefund: OurRefund | undefined,
): Promise<NewEvent[]> {
  const [first] = events;
  if (!first) return [];
  const recorded = await recordedOf(tx, payment, first.kind);
  const found: NewEvent[] = [];
  let covered: number = zero;
  for (const event of mergeById(events).toSorted(withReferenceFirst)) {
    const ours = ourRefund && isOf(ourRefund, event) ? ourRefund : undefined;
    const known =
      recorded.find((one) => isSame(one, event)) ??
      (ours ? undefined : recorded.find((one) => isAlike(one, event)));
    if (!known) found.push({ event, amountCents: event.amountCents, ours });
    else {
      if (known.processorId === null) await identify(tx, context, payment, known, event);
      known.processorId = event.processorId;
      if (known.hasFailed) continue;
      const more = event.amountCents - known.amountCents;
      if (more > 0) found.push({ event, amountCents: cents(more), isMore: true });
      else covered -= more;
    }
  }
  for (const one of recorded)
    if (one.processorId === null && !one.hasFailed) covered += one.amountCents;
  const fresh: NewEvent[] = [];
  for (const each of found.toSorted(earliestFirst)) {
    const part = each.ours ? 0 : Math.min(covered, each.amountCents);
    covered -= part;
    if (part < each.amountCents)
      fresh.push({ ...each, amountCents: cents(each.amountCents - part), isRest: part > 0 });
  }
  // Our refund first: the rest was made at the processor.
  return fresh.toSorted((a, b) => Number(!a.ours) - Number(!b.ours));
}

/** Stripe may withdraw money for one dispute more than once. */
function mergeById(events: ChargeEvent[]): ChargeEvent[] {
  const byId = new Map<string, ChargeEvent>();
  for (const event of events) {
    const known = byId.get(event.processorId);
    const amountCents = cents(event.amountCents + (known?.amountCents ?? zero));
    byId.set(event.processorId, { ...(known ?? event), amountCents });
  }
  return [...byId.values()];
}

const withReferenceFirst = (a: ChargeEvent, b: ChargeEvent) =>
  Number(a.reference === null) - Number(b.reference === null);

const earliestFirst = ({ event: a }: NewEvent, { event: b }: NewEvent) =>
  (a.on ?? "9999").localeCompare(b.on ?? "9999") || a.processorId.localeCompare(b.processorId);

interface Recorded {
  id: number;
  amountCents: Cents;
  processorId: string | null;
  /** Of our refund, or of one that was found. */
  reference: string | null;
  /** The refund failed after it was accepted, and the repeated purchase is recorded. */
  hasFailed: boolean;
}

const isSame = (one: Recorded, { processorId, reference }: ChargeEvent) =>
  one.processorId === null
    ? one.reference !== null && one.reference === reference
    : one.processorId === processorId;

/** An event without a reference is matched by its amount. */
const isAlike = (one: Recorded, { amountCents, reference }: ChargeEvent) =>
  one.processorId === null &&
  !one.hasFailed &&
  one.amountCents === amountCents &&
  (one.reference === null || reference === null);

const isOf = (ourRefund: OurRefund, { kind, reference, amountCents }: ChargeEvent) =>
  kind === "refund" &&
  (ourRefund.reference === reference ||
    (reference === null && ourRefund.amountCents === amountCents));

/** The recorded transactions of a kind: those with an id first, ours without an id last. */
async function recordedOf(
  tx: Db,
  { networkId, paymentId }: LockedPayment,
  kind: ChargeEvent["kind"],
): Promise<Recorded[]> {
  const { rows } = await sql<Recorded>`
    select t.id, t.amount_cents, t.processor_id, r.reference, coalesce(r.state = 'failed', false) as has_failed
    from card_transactions t
    left join card_refunds r on r.network_id = t.network_id and r.id = t.refund_id
    where t.network_id = ${networkId} and t.payment_id = ${paymentId} and t.kind = ${kind}
    order by t.processor_id is null, r.reference is not null, t.id`.execute(tx);
  return rows;
}

/**
 * Add the processor's id to a transaction recorded without one; from then on its refund can be found to
 * fail.
 */
async function identify(
  tx: Db,
  context: CardPaymentContext,
  payment: LockedPayment,
  { id, amountCents, reference }: Recorded,
  { kind, processorId }: ChargeEvent,
): Promise<void> {
  const refundId =
    kind === "refund" && reference === null
      ? await insertRefundFromProcessor(tx, context, payment, { processorId, amountCents })
      : undefined;
  await tx
    .updateTable("cardTransactions")
    .set({ processorId, ...(refundId && { refundId }) })
    .where("networkId", "=", payment.networkId)
    .where("id", "=", id)
    .execute();
}

/** The payment's refund that the processor has not answered yet; at most one. */
export async function findOpenRefund(tx: Db, { networkId, paymentId }: LockedPayment) {
  return await tx
    .selectFrom("cardRefunds")
    .select(["id", "reference", "reason", "requestedBy", "requestedByName", "amountCents"])
    .where("networkId", "=", networkId)
    .where("paymentId", "=", paymentId)
    .where("state", "=", "requested")
    .executeTakeFirst();
}

/** The date of an event in the network's time zone; today if the processor gives none. */
async function dayOf(tx: Db, { networkId }: LockedPayment, { on }: ChargeEvent): Promise<Day> {
  const { rows } = await sql<{ day: Day }>`
    select case when ${on}::text is null then network_day(n.id)
      when length(${on}::text) = 10 then least(${on}::text::date, network_day(n.id))
      else least((${on}::text::timestamptz at time zone n.time_zone)::date, network_day(n.id)) end as day
    from networks n where n.id = ${networkId}`.execute(tx);
  if (!rows[0]) throw new Error("The network of a card payment is gone.");
  return rows[0].day;
}
