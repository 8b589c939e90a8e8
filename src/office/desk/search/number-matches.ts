import { type RawBuilder, sql } from "kysely";
import { moneyText } from "#kit/db/money-text.ts";
import { likePattern } from "#kit/db/text-search.ts";
import { paymentStatus } from "#payments/payment-status.ts";
import { inWords } from "#kit/list/report.ts";
import { checkStatuses } from "#payments/checks/checks.list.ts";
import type { FoundKind } from "#office/desk/search/contract.ts";
import { dots, type Match, maxFound, personName } from "#office/desk/search/match.ts";
import { type SearchWords, spellings } from "#office/desk/search/search-words.ts";

const maxInteger = 2_147_483_647;

/**
 * Checks, receipts, transactions and deposits with this number or, from two characters on, one that begins with it.
 * None if the text cannot be a number.
 */
export function numberMatches(networkId: number, { number }: SearchWords): RawBuilder<Match>[] {
  if (number === null) return [];
  const all: Partial<Record<FoundKind, RawBuilder<Match>[]>> = {
    check: [checks(networkId, number.text)],
    transaction: [transactions(networkId, number.text)],
    ...(/^\d{1,15}$/.test(number.text) && {
      receipt: [receipts(networkId, Number(number.text))],
      deposit: Number(number.text) <= maxInteger ? [deposits(networkId, Number(number.text))] : [],
    }),
  };
  return number.kind === null ? Object.values(all).flat() : (all[number.kind] ?? []);
}

/**
 * Rows of a table whose column is this number, newest first, then those that begin with it. Each takes a few steps in
 * the column's index, however many rows there are.
 */
function byNumber(
  {
    table,
    column,
    id,
    only = sql`true`,
  }: { table: string; column: string; id: string; only?: RawBuilder<unknown> },
  networkId: number,
  number: string,
): RawBuilder<unknown> {
  const [from, at, key] = [sql.table(table), sql.ref(column), sql.ref(id)];
  const looks = spellings(number).flatMap((spelling) => {
    const exact = sql`(select *, 0 as rank from ${from}
      where network_id = ${networkId} and ${at} = ${spelling} and ${only} order by ${key} desc limit ${maxFound})`;
    const longer = sql`(select *, 1 as rank from ${from}
      where network_id = ${networkId} and ${at} like ${`${likePattern(spelling)}_%`} and ${only}
      order by ${at} using ~<~, ${key} limit ${maxFound})`;
    return number.length === 1 ? [exact] : [exact, longer];
  });
  return sql`(${sql.join(looks, sql` union all `)})`;
}

const day = (instant: RawBuilder<unknown>) => sql`to_char(${instant}, 'MM/DD/YYYY')`;

/** An instant's day in the network `n`. */
const dayOf = (instant: RawBuilder<unknown>) => day(sql`(${instant} at time zone n.time_zone)`);

const checks = (networkId: number, number: string) => sql<Match>`
  select 'check' as kind, c.id, '/admin/checks/' || c.id as path, c.rank, 'Check ' || c.check_number as title,
    concat_ws(${dots}, ${moneyText(sql`c.amount_cents`)}, coalesce(f.name, ${personName}),
      'received ' || ${day(sql`c.received_on`)}, ${inWords(sql`c.status`, checkStatuses)}) as detail
  from ${byNumber({ table: "received_checks", column: "check_number", id: "id" }, networkId, number)} as c
  left join attorneys a on a.network_id = c.network_id and a.id = c.attorney_id
  left join firms f on f.network_id = c.network_id and f.id = c.firm_id`;

/** Describes a payment `y` of attorney `a` in network `n`. */
const paymentDetail = sql`concat_ws(${dots}, ${moneyText(sql`y.amount_cents`)}, ${personName},
  coalesce('check ' || y.check_number, 'card'), ${dayOf(sql`y.created_at`)})`;

const receipts = (networkId: number, id: number) => sql<Match>`
  select 'receipt' as kind, y.id, '/receipts/' || y.id as path, 0 as rank,
    case when ${paymentStatus(sql`shares.statuses`)} in ('paid', 'approved', 'partly refunded', 'refunded') then 'Receipt ' else 'Payment ' end
      || y.id as title, ${paymentDetail} as detail
  from payments y
  left join received_checks k on k.network_id = y.network_id and k.id = y.received_check_id
  left join card_payments c on c.network_id = y.network_id and c.payment_id = y.id
  cross join lateral (
    select array_agg(s.status) as statuses from payment_allocations s
    where s.network_id = y.network_id and s.payment_id = y.id) as shares
  join attorneys a on a.network_id = y.network_id and a.id = y.attorney_id
  join networks n on n.id = y.network_id
  where y.network_id = ${networkId} and y.id = ${id}`;

/** Card payments, by the processor's number of the payment or of a later transaction, or by our own. */
const transactions = (networkId: number, number: string) => sql<Match>`
  select 'transaction' as kind, y.id, '/receipts/' || y.id as path, c.rank, 'Transaction ' || c.number as title,
    ${paymentDetail} as detail
  from (
    select payment_id, transaction_id as number, rank from ${byNumber(
      { table: "card_payments", column: "transaction_id", id: "payment_id" },
      networkId,
      number,
    )} as by_transaction
    union all
    select payment_id, processor_id, min(rank) from ${byNumber(
      {
        table: "card_transactions",
        column: "processor_id",
        id: "id",
        only: sql`kind <> 'purchase'`, // a purchase has the payment's number
      },
      networkId,
      number,
    )} as by_later_transaction
    group by payment_id, processor_id
    union all
    select payment_id, reference, 0 from card_payments
    where network_id = ${networkId} and reference = ${number.toUpperCase()}
  ) as c
  join payments y on y.network_id = ${networkId} and y.id = c.payment_id
  join attorneys a on a.network_id = y.network_id and a.id = y.attorney_id
  join networks n on n.id = y.network_id`;

const deposits = (networkId: number, number: number) => sql<Match>`
  select 'deposit' as kind, t.id, '/admin/deposits/' || t.id as path, 0 as rank, 'Deposit ' || t.number as title,
    concat_ws(${dots}, ${day(sql`t.deposited_on`)}, t.account_name,
      case when t.banked_at is null then 'Open' else 'Banked' end) as detail
  from deposits t where t.network_id = ${networkId} and t.number = ${number}`;
