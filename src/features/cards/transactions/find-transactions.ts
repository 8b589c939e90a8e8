import { sql } from "kysely";
import type { Doer } from "#domain/actor.ts";
import type { Day } from "#domain/day.ts";
import { cents } from "#domain/money.ts";
import type { Db } from "#db/database.ts";
import { type LockedPayment, processorAsDoer } from "#features/cards/charge/locked-payment.ts";
import type { ChargeEvent } from "#features/cards/processors/charge-events.ts";
import type { CardPaymentContext } from "#features/cards/card-payment-context.ts";
import { insertForeignRefund } from "#features/cards/refund/refund-record.ts";
import {
  chargedBackOf,
  receivedOf,
  recordTransaction,
} from "#features/cards/transactions/transactions.ts";

/**
 * Record what has happened to a charge at its processor, each once: what is known by the processor's id, by our
 * reference, or was entered by hand or done here without an id, is not recorded again. Source: book rules 6, 7.
 */
export async function recordEvents(
  tx: Db,
  context: CardPaymentContext,
  payment: LockedPayment,
  events: ChargeEvent[],
): Promise<void> {
  // Ours first: without a reference an event is known by its amount, of which there may be several.
  for (const event of events.toSorted(withReferenceFirst)) {
    if (await isKnown(tx, payment, event)) continue;
    // Nothing takes more than there is, and a chargeback that was won brings back what it took.
    const most = await (event.kind === "chargeback_reversed" ? chargedBackOf : receivedOf)(
      tx,
      payment,
    );
    const amountCents = cents(Math.min(event.amountCents, most));
    if (amountCents <= 0) continue;
    const ours = await refundOf(tx, payment, event);
    const happened = {
      kind: event.kind,
      amountCents,
      on: await dayOf(tx, payment, event),
      processorId: event.processorId,
    };
    if (ours) {
      const doer: Doer = { ...payment, userId: ours.requestedBy, name: ours.requestedByName };
      await recordTransaction(
        tx,
        payment,
        { ...happened, by: "here", refundId: ours.id, note: ours.reason },
        { doer },
      );
    } else {
      const refundId =
        event.kind === "refund"
          ? await insertForeignRefund(tx, context, payment, { ...event, amountCents })
          : undefined;
      await recordTransaction(
        tx,
        payment,
        { ...happened, by: "processor", ...(refundId && { refundId }) },
        { doer: processorAsDoer(payment) },
      );
    }
  }
}

const withReferenceFirst = (a: ChargeEvent, b: ChargeEvent) =>
  Number(a.reference === null) - Number(b.reference === null);

/** What was entered by hand, or done here before its id was known, gets the id. */
async function isKnown(
  tx: Db,
  { networkId, paymentId }: LockedPayment,
  { kind, amountCents, processorId, reference }: ChargeEvent,
): Promise<boolean> {
  const { rows } = await sql<{ id: number }>`
    select t.id from card_transactions t
    left join card_refunds r on r.network_id = t.network_id and r.id = t.refund_id
    where t.network_id = ${networkId} and t.payment_id = ${paymentId} and t.kind = ${kind}
      and (t.processor_id = ${processorId} or (t.processor_id is null
        and (${reference}::text = r.reference or (t.amount_cents = ${amountCents}
          and (r.reference is null or ${reference}::text is null)))))
    order by t.processor_id is null, r.reference is distinct from ${reference}, t.id limit 1`.execute(
    tx,
  );
  const [known] = rows;
  if (!known) return false;
  await tx
    .updateTable("cardTransactions")
    .set({ processorId })
    .where("networkId", "=", networkId)
    .where("id", "=", known.id)
    .where("processorId", "is", null)
    .execute();
  return true;
}

/** Our refund under way, where the processor names our reference; a void has none. */
async function refundOf(
  tx: Db,
  { networkId, paymentId }: LockedPayment,
  { kind, reference, amountCents }: ChargeEvent,
) {
  if (kind !== "refund") return undefined;
  const asked = await tx
    .selectFrom("cardRefunds")
    .select(["id", "reference", "reason", "requestedBy", "requestedByName", "amountCents"])
    .where("networkId", "=", networkId)
    .where("paymentId", "=", paymentId)
    .where("state", "=", "requested")
    .executeTakeFirst();
  return asked &&
    (asked.reference === reference || (reference === null && asked.amountCents === amountCents))
    ? asked
    : undefined;
}

/** The network's day of an event; today where its processor says none. */
async function dayOf(tx: Db, { networkId }: LockedPayment, { on }: ChargeEvent): Promise<Day> {
  const { rows } = await sql<{ day: Day }>`
    select case when ${on}::text is null then network_day(n.id)
      when length(${on}::text) = 10 then least(${on}::text::date, network_day(n.id))
      else least((${on}::text::timestamptz at time zone n.time_zone)::date, network_day(n.id)) end as day
    from networks n where n.id = ${networkId}`.execute(tx);
  if (!rows[0]) throw new Error("The network of a card payment is gone.");
  return rows[0].day;
}
