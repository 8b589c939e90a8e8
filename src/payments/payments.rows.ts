import { sql } from "kysely";
import type { z } from "zod";
import { centsFromDollars, cleanAmount } from "#kit/domain/money.ts";
import { listJson, shapeJson, tableJson } from "#kit/db/shape-json.ts";
import { containsText, matchesSearch } from "#kit/db/text-search.ts";
import { attorneyCells } from "#panel/attorney-columns.rows.ts";
import { creditedLater, paymentParts } from "#payments/payment-status.ts";
import {
  listPayments,
  Payment,
  type paymentFilters,
  payments,
  paymentSums,
} from "#payments/payments.list.ts";
import { cardJson } from "#payments/receipts.ts";
import { allOf, type Sql, withinDays } from "#kit/list/list-context.ts";
import { rowsOf } from "#kit/list/rows-of.ts";

/** SQL for `cardColumns`; the card payment has the alias `c`. */
export const cardCells = {
  card: sql`nullif(concat_ws(' ', nullif(c.card_brand, ''), nullif(c.card_last_four, '')), '')`,
  processor: sql`c.processor`,
  transaction_id: sql`c.transaction_id`,
};

/** The day of the last full or partial refund; null if none counts. */
const refundedOn = sql`case when went.refunded > 0 then went.refunded_on end`;

const ofCards = sql`
  left join card_payments c on c.network_id = y.network_id and c.payment_id = y.id`;

const part = listPayments.object.shape.totals.shape.parts.element;

export const paymentRows = rowsOf(payments, {
  from: ({ networkId }, wanted) => sql`payments y ${ofCards} ${withStatus(networkId, wanted)}
    left join users recorder on recorder.network_id = y.network_id and recorder.id = y.created_by
    left join attorneys a on a.network_id = y.network_id and a.id = y.attorney_id`,
  networkId: sql`y.network_id`,
  key: sql`y.id`,
  columns: {
    payment_id: sql`y.id`,
    paid_on: sql`y.created_at`,
    paid_at: sql`y.created_at`,
    ...attorneyCells,
    method: {
      value: sql`y.method`,
      /** Checks by number, 98 before 102, then cards. */
      sort: () => [sql`lpad(lower(y.check_number), 32, ' ')`],
    },
    check_number: sql`y.check_number`,
    received_on: sql`k.received_on`,
    ...cardCells,
    status: sql`shares.status`,
    amount: sql`y.amount_cents`,
    amount_received: sql`counted.received`,
    credit: sql`shares.credit`,
    refunded_on: refundedOn,
    returned_on: sql`k.returned_on`,
    recorded_by: sql`recorder.name`,
    refunded: sql`went.refunded`,
    charged_back: sql`went.charged_back`,
    charged_back_on: sql`case when went.charged_back > 0 then went.charged_back_on end`,
  },
  filters: {
    method: (method) => sql`y.method = ${method}`,
    status: hasStatus,
    attorney_id: (id) => sql`y.attorney_id = ${id}`,
    from: (from, context) => allOf(withinDays(sql`y.created_at`, { from }, context)),
    to: (to, context) => allOf(withinDays(sql`y.created_at`, { to }, context)),
    search: (search, { networkId }) => sql`y.id in (${foundBySearch(networkId, search)})`,
  },
  // Declined cards are listed only when a filter asks for them.
  always: ({ status }, { networkId }) => !status && isNotDeclined(networkId),
  usual: () => [{ value: sql`y.id`, isDescending: true, isNeverNull: true }],
  item: tableJson(Payment, "payments as y", {
    attorneyName: attorneyCells.attorney_name.value,
    checkId: sql`y.received_check_id`,
    card: cardJson,
    status: sql`shown.status`,
    denied: sql`shown.denied`,
    received: sql`shown.received`,
  }),
  itemFrom: sql`payments y
    join attorneys a on a.network_id = y.network_id and a.id = y.attorney_id ${ofCards}`,
  found: {
    status: sql`shares.status`,
    denied: sql`shares.denied`,
    approved: sql`shares.approved`,
    received: sql`counted.received`,
    refunded: sql`went.refunded`,
    charged_back: sql`went.charged_back`,
    failed: sql`went.failed`,
  },
  /** The sums named and ordered by `paymentSums`. */
  totals: {
    parts: listJson(shapeJson(part, { status: sql`part`, amount: sql`cents` }), {
      from: sql`(
        select part, sum(cents)::bigint as cents from (
          select case when status in ('paid', 'approved', 'partly refunded') then 'received' else status end,
            total_amount - denied - approved - refunded - charged_back - failed from found
          union all select 'refunded', refunded from found where refunded > 0
          union all select 'charged back', charged_back from found where charged_back > 0
          union all select 'failed', failed from found where failed > 0
          union all select 'received', approved from found where approved > 0
          union all select 'partly_denied', denied from found where denied > 0) as each_part (part, cents)
        group by part) as sums
      where cents > 0`,
      order: sql`array_position(${[...paymentSums]}::text[], part)`,
    }),
  },
  report: {
    times: { created: { instant: sql`y.created_at` } },
    usually: ({ networkId }) => isNotDeclined(networkId),
    attorneyId: sql`y.attorney_id`,
    order: sql`y.id`,
  },
});

type Wanted = Partial<z.output<typeof listPayments.query>>;

/**
 * Joins the payments (alias `y`) of a network, an attorney or a search with their `paymentParts`.
 */
const withStatus = (
  networkId: number,
  { attorney_id, search }: Pick<Wanted, "attorney_id" | "search">,
) => sql`
  left join received_checks k on k.network_id = y.network_id and k.id = y.received_check_id
  left join (
    select payment_id, array_agg(status) as statuses, sum(amount_cents) filter (where status = 'denied') as denied,
      sum(amount_cents) filter (where status = 'approved') as approved
    from payment_allocations where ${allOf([
      sql`network_id = ${networkId}`,
      attorney_id && sql`attorney_id = ${attorney_id}`,
      search && sql`payment_id in (${foundBySearch(networkId, search)})`,
    ])} group by payment_id
  ) as together on together.payment_id = y.id
  left join ${creditedLater(sql`${networkId}`)} as later on later.payment_id = y.id
  ${paymentParts}`;

/** The lost amounts by which a filter also finds card payments that still count in part. */
const goneAs: Partial<Record<keyof typeof paymentFilters, Sql>> = {
  refunded: sql`went.refunded`,
  "charged back": sql`went.charged_back`,
  failed: sql`went.failed`,
};

function hasStatus(status: keyof typeof paymentFilters): Sql {
  if (status === "received")
    return sql`(shares.status in ('paid', 'approved', 'partly refunded') or shares.approved > 0)`;
  if (status === "partly_denied") return sql`shares.denied > 0`;
  const gone = goneAs[status];
  return gone ? sql`(shares.status = ${status} or ${gone} > 0)` : sql`shares.status = ${status}`;
}

/** Declined payments are few and have an index. */
const isNotDeclined = (networkId: number) => sql`y.id not in (
  select c.payment_id from card_payments c where c.network_id = ${networkId} and c.state = 'declined')`;

/**
 * The payments that a search finds: by a part of the check number, the amount, the card's last digits, the processor's
 * transaction id, our reference, or every word in the attorney's name, email or phone.
 */
function foundBySearch(networkId: number, search: string): Sql {
  const amount = centsFromDollars(cleanAmount(search));
  const number = containsText(sql`lower(p.check_number)`, search.toLowerCase());
  return sql`
    select p.id from payments p
    where p.network_id = ${networkId} and (${number} or p.amount_cents = ${amount}::bigint)
    union select c.payment_id from card_payments c
    where c.network_id = ${networkId}
      and (c.card_last_four = ${search} or c.transaction_id = ${search} or c.reference = ${search.toUpperCase()})
    union select p.id from payments p
    where p.network_id = ${networkId} and p.attorney_id in (
      select a.id from attorneys a
      where a.network_id = ${networkId} and ${matchesSearch(sql`a.search_text`, search)})`;
}
