import { type RawBuilder, sql } from "kysely";
import type { Day } from "#kit/domain/day.ts";
import type { ChangeAuthor } from "#kit/domain/actor.ts";
import { type Cents, dollarsText, sum } from "#kit/domain/money.ts";
import { prepared } from "#kit/db/prepared-statements.ts";
import { receiptsOf } from "#outgoing/mail/receipts.ts";
import { type PaymentShare, titleOfDebit } from "#payments/payments.ts";

/** The payer of a check. `owner`: the attorney who owes all of its debits, and must be `attorneyId` unless null. */
export type Payer =
  | { kind: "attorney"; id: number }
  | { kind: "firm"; id: number }
  | { kind: "owner"; attorneyId: number | null };

/** A check with its parts, which must add up to its amount. */
export interface CheckToRecord {
  payer: Payer;
  checkNumber: string;
  amountCents: Cents;
  receivedOn: Day;
  note: string;
  /** A different check from one with the same number of the payer's firm or of its attorneys. */
  isAnother: boolean;
  /** In debit order. */
  shares: PaymentShare[];
  credits: { attorneyId: number; amountCents: Cents }[];
  /** It is approved in the same transaction, so its attorneys are emailed only about the approval. */
  isApprovedNext: boolean;
}

/** What the statement found. Names and titles are filled in only for a refused check. */
export interface CheckFound {
  /** Null if nothing was recorded. */
  checkId: number | null;
  attorneyIds: number[];
  /** Null if there is no such payer. */
  payerName: string | null;
  isDuplicate: boolean;
  debits: {
    id: number;
    attorneyId: number;
    balanceCents: Cents;
    pendingCents: Cents;
    title: string | null;
  }[];
  attorneys: { id: number; name: string; belongs: boolean }[];
}

/**
 * The only statement that records a check. It locks the debits' attorneys against a change of firm, then the debits, each
 * in id order, and inserts the check, its payments, shares, audit entry and receipts, or nothing. Measured: five
 * statements in a transaction took twice as long. An `owner`'s check needs no lock of attorneys. Source: domain rules §4
 * and §10.
 */
export function insertCheckQuery(
  author: ChangeAuthor,
  check: CheckToRecord,
): RawBuilder<CheckFound> {
  const { networkId } = author;
  const { payer, shares, credits } = check;
  const isOwners = payer.kind === "owner";
  const debitIds = sql`(select debit_id from debit_parts)`;
  return sql<CheckFound>`${prepared}
    with debit_parts (debit_id, amount_cents) as materialized (${partRows(shares.map((share) => [share.debitId, share.amountCents]))}),
    credit_parts (attorney_id, amount_cents) as materialized (${partRows(credits.map((part) => [part.attorneyId, part.amountCents]))}),
    ${isOwners ? sql`` : sql`people as materialized (${lockedPeople(networkId, debitIds)}),`}
    locked as materialized (
      select network_id, id, attorney_id, enrolment_id, charge_id, due_on, balance_cents, pending_cents
      from debits where network_id = ${networkId} and id in ${debitIds}
        ${isOwners ? sql`` : sql`and (select count(*) from people) >= 0 -- locks all attorneys before the first debit`}
      order by id for update
    ),
    ${isOwners ? sql`people as materialized (${ownersOf(networkId)}),` : sql``}
    payer as materialized (${payerQuery(networkId, payer)}),
    belonging as materialized (
      select people.id, people.name, coalesce(people.id = payer.attorney_id or people.firm_id = payer.firm_id, false) as belongs
      from people cross join payer
    ), duplicate as materialized (${isOwners ? sql`select where false` : duplicateQuery(networkId, check.checkNumber)}),
    accepted as materialized (
      select payer.attorney_id, payer.firm_id, payer.name from payer
      where (select count(*) from locked) = ${shares.length}::integer
        and (select count(*) from credit_parts join people on people.id = attorney_id) = ${credits.length}::integer
        and (select bool_and(belongs) from belonging) and not exists (select from duplicate)
        and not exists (select from debit_parts part join locked on locked.id = part.debit_id
          where part.amount_cents > locked.balance_cents - locked.pending_cents)
    ), recorded as (
      insert into received_checks (network_id, attorney_id, firm_id, check_number, amount_cents, received_on, note,
        is_whole, is_another_check, created_by)
      select ${networkId}::bigint, attorney_id, firm_id, ${check.checkNumber}::text, ${check.amountCents}::bigint,
        ${check.receivedOn}::date, ${check.note}::text, ${!isOwners}::boolean, ${check.isAnother}::boolean,
        ${author.userId}::bigint
      from accepted
      returning network_id, id, check_number, created_by
    ), paid as (
      insert into payments (network_id, attorney_id, method, amount_cents, credit_cents, check_number,
        received_check_id, created_by)
      select recorded.network_id, part.attorney_id, 'check', sum(part.paid_cents + part.credit_cents),
        sum(part.credit_cents), recorded.check_number, recorded.id, recorded.created_by
      from recorded cross join (
        select locked.attorney_id, part.amount_cents as paid_cents, 0::bigint as credit_cents
        from debit_parts part join locked on locked.id = part.debit_id
        union all select attorney_id, 0, amount_cents from credit_parts
      ) as part
      group by recorded.network_id, part.attorney_id, recorded.check_number, recorded.id, recorded.created_by
      order by part.attorney_id
      returning network_id, id, attorney_id, check_number, credit_cents
    ), shared as (
      insert into payment_allocations
        (network_id, attorney_id, payment_id, debit_id, amount_cents, check_number)
      select paid.network_id, paid.attorney_id, paid.id, locked.id, part.amount_cents, paid.check_number
      from paid
      join locked on locked.attorney_id = paid.attorney_id
      join debit_parts part on part.debit_id = locked.id
      order by locked.id
      returning network_id, id, payment_id, debit_id, amount_cents
    ), audited as (
      insert into audit_entries
        (network_id, actor_user_id, actor_name, action, record_type, record_id, after)
      select recorded.network_id, ${author.userId}::bigint, ${author.name}::text, 'recorded check', 'received check',
        recorded.id, jsonb_build_object('payer', accepted.name) || ${JSON.stringify(auditedCheck(check))}::jsonb
      from recorded cross join accepted
    )${check.isApprovedNext ? sql`` : recordedReceipts}
    select (select id from recorded) as check_id, to_json(array(select id from people)) as attorney_ids,
      (select name from payer) as payer_name, exists (select from duplicate) as is_duplicate, (
        select coalesce(json_agg(json_build_object('id', d.id, 'attorneyId', d.attorney_id,
          'balanceCents', d.balance_cents, 'pendingCents', d.pending_cents,
          'title', case when not exists (select from accepted) then ${titleOfDebit} end) order by d.id), '[]')
        from locked as d) as debits,
      case when exists (select from accepted) then '[]' else (
        select coalesce(json_agg(json_build_object('id', id, 'name', name, 'belongs', belongs)), '[]')
        from belonging) end as attorneys`;
}

/** Up to this many parts, there is one prepared statement per number of parts. */
const maxListedParts = 5;

/**
 * Ids and cents as rows. Listed rows let the planner count them; for an array it assumes ten rows and then prefers to plan
 * again instead of reusing the cached plan.
 */
function partRows(parts: [id: number, amountCents: Cents][]): RawBuilder<unknown> {
  if (parts.length === 0) return sql`select null::bigint, null::bigint where false`;
  if (parts.length <= maxListedParts)
    return sql`values ${sql.join(parts.map(([id, amount]) => sql`(${id}::bigint, ${amount}::bigint)`))}`;
  return sql`select * from unnest(
    ${parts.map(([id]) => id)}::bigint[], ${parts.map(([, amount]) => amount)}::bigint[])`;
}

/** The attorneys of the debits and of the credit, locked against a change of firm. */
const lockedPeople = (networkId: number, debitIds: RawBuilder<unknown>) => sql`
  select id, firm_id, first_name || ' ' || last_name as name from attorneys
  where network_id = ${networkId} and id in (
    select attorney_id from debits where network_id = ${networkId} and id in ${debitIds}
    union select attorney_id from credit_parts)
  order by id for share`;

const ownersOf = (networkId: number) => sql`
  select id, firm_id, first_name || ' ' || last_name as name from attorneys
  where network_id = ${networkId} and id in (select attorney_id from locked)`;

/** The payer: one row, or none if the network has no such attorney or firm, or the debits belong to several attorneys. */
function payerQuery(networkId: number, payer: Payer): RawBuilder<unknown> {
  if (payer.kind === "firm")
    return sql`select null::bigint as attorney_id, id as firm_id, name from firms
      where network_id = ${networkId} and id = ${payer.id}`;
  if (payer.kind === "attorney")
    return sql`select id as attorney_id, null::bigint as firm_id, first_name || ' ' || last_name as name
      from attorneys where network_id = ${networkId} and id = ${payer.id}`;
  return sql`select min(id) as attorney_id, null::bigint as firm_id, min(name) as name from people
    having count(*) = 1 and min(id) = coalesce(${payer.attorneyId}::bigint, min(id))`;
}

/** The payer's existing checks with that number. */
const duplicateQuery = (networkId: number, checkNumber: string) => sql`
  select c.id from received_checks c join payer
    on c.attorney_id is not distinct from payer.attorney_id and c.firm_id is not distinct from payer.firm_id
  where c.network_id = ${networkId} and c.check_number = ${checkNumber}
    and c.status not in ('denied', 'returned')`;

const recordedReceipts = sql`, receipts as (${receiptsOf({
  payments: sql`(select paid.*, case when accepted.firm_id is not null then accepted.name end as firm
    from paid cross join accepted)`,
  shares: sql`shared`,
  receipt: "recorded",
})})`;

const auditedCheck = ({
  checkNumber,
  amountCents,
  receivedOn,
  note,
  shares,
  credits,
}: CheckToRecord) => ({
  checkNumber,
  amount: dollarsText(amountCents),
  receivedOn,
  ...(shares.length > 0 && {
    debits: shares.map((share) => [share.debitId, dollarsText(share.amountCents)]),
  }),
  ...(credits.length > 0 && { credit: dollarsText(sum(credits.map((part) => part.amountCents))) }),
  ...(note && { note }),
});
