import { sql } from "kysely";
import type { Actor } from "#kit/domain/actor.ts";
import { addressLines } from "#kit/db/address-lines.ts";
import type { Db } from "#kit/db/database.ts";
import { debitDescription, debitName, debitNames, debitNote } from "#kit/db/debit-names.ts";
import { type RawJson, selectJson } from "#kit/db/json-query.ts";
import { jsonWhere, listJson, shapeJson, tableJson } from "#kit/db/shape-json.ts";
import { notFound } from "#kit/contract/refusal.ts";
import { receivedOfShare } from "#people/attorney-payments.ts";
import { creditedLater, paymentParts } from "#payments/payment-status.ts";
import { brandJson } from "#access/networks/brand.ts";
import { Receipt } from "#payments/shapes.ts";

/** Shares (alias `s`) joined with their debits' names. */
export const namedShares = sql`payment_allocations s
  join debits d on d.network_id = s.network_id and d.id = s.debit_id ${debitNames}`;

/** The brand and last digits of a card (alias `c`); null if unknown. */
export const cardJson = jsonWhere(
  sql`coalesce(c.card_brand || c.card_last_four, '') <> ''`,
  shapeJson(Receipt.shape.card.unwrap(), {
    brand: sql`c.card_brand`,
    lastFour: sql`c.card_last_four`,
  }),
);

const receiptShares = listJson(
  shapeJson(Receipt.shape.shares.element, {
    debitId: sql`d.id`,
    name: debitName,
    description: debitDescription,
    note: debitNote,
    dueDate: sql`d.due_on`,
    amount: sql`s.amount_cents`,
    status: sql`replace(s.status, '_', ' ')`,
    received: receivedOfShare,
  }),
  {
    from: sql`${namedShares} where s.network_id = y.network_id and s.payment_id = y.id`,
    order: sql`s.id`,
  },
);

const receiptJson = tableJson(Receipt, "payments as y", {
  paymentId: sql`y.id`,
  networkName: sql`n.name`,
  brand: brandJson,
  attorneyName: sql`a.first_name || ' ' || a.last_name`,
  attorneyAddress: addressLines,
  firm: sql`(select f.name from firms f where f.network_id = k.network_id and f.id = k.firm_id)`,
  status: sql`shares.status`,
  denied: sql`shares.denied`,
  received: sql`counted.received`,
  credit: sql`shares.credit`,
  settledAt: sql`coalesce(c.settled_at,
    case when k.status = 'returned' or together.statuses is null then k.decided_at else together.decided_at end)`,
  refundedAt: sql`c.refunded_at`,
  failedAt: sql`c.failed_at`,
  returnedOn: sql`case when shares.status = 'returned' then k.returned_on end`,
  reference: sql`c.reference`,
  transactionId: sql`c.transaction_id`,
  card: cardJson,
  shares: receiptShares,
});

/** The receipt of a payment by card or check. Throws 404 for another attorney's payment. */
export async function showReceiptOf(
  tx: Db,
  actor: Actor,
  paymentId: number,
): Promise<RawJson<Receipt>> {
  const isOwn = actor.role === "attorney" ? sql`and y.attorney_id = ${actor.attorneyId}` : sql``;
  const found = await selectJson(tx, receiptJson, {
    isPrepared: true,
    from: sql`payments y
      join networks n on n.id = y.network_id
      join attorneys a on a.network_id = y.network_id and a.id = y.attorney_id
      left join card_payments c on c.network_id = y.network_id and c.payment_id = y.id
      left join received_checks k on k.network_id = y.network_id and k.id = y.received_check_id
      cross join lateral (
        select max(s.decided_at) as decided_at, array_agg(s.status) as statuses,
          sum(s.amount_cents) filter (where s.status = 'denied') as denied,
          sum(s.amount_cents) filter (where s.status = 'approved') as approved
        from payment_allocations s where s.network_id = y.network_id and s.payment_id = y.id
      ) as together
      left join ${creditedLater(sql`${actor.networkId}`)} as later on later.payment_id = y.id
      ${paymentParts}
      where y.network_id = ${actor.networkId} and y.id = ${paymentId} ${isOwn}`,
  });
  if (!found) throw notFound("payment");
  return found;
}
