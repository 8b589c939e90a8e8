import { type RawBuilder, sql } from "kysely";
import type { PlainDate } from "#domain/calendar.ts";
import { cents, type Cents, dollarsText, formatMoney, sum } from "#domain/money.ts";
import type { Doer } from "#domain/actor.ts";
import type { Db } from "#db/database.ts";
import type { RawJson } from "#db/json-query.ts";
import { prepared } from "#db/prepared-statements.ts";
import { invalid, notFound, Refusal, refuseViolations } from "#contract/refusal.ts";
import { refuseDay } from "#features/checks/check-days.ts";
import { notifyOfAttorneys, showCheck } from "#features/checks/check-list.ts";
import type { NewCheck } from "#features/checks/contract.ts";
import { approveRecorded } from "#features/checks/decide-checks.ts";
import { receiptsOfChecks } from "#features/mail/receipts.ts";
import { recordedForFirm } from "#features/payments/told-twice.ts";
import { amountTooLarge, titleOfDebit } from "#features/payments/payments.ts";

/**
 * Record a check of an attorney or a firm, spread over debits and credit to the cent, as pending or, on
 * demand, as approved at once. Nothing is recorded unless all of it is. Throws 422 for parts that do not
 * add up or belong to somebody else than the payer, 404 for what is not the network's, 409 for more
 * than is owed less what is pending, for a number that the payer already used, and for one that his firm or another
 * attorney of it used, unless it is said to be another check. Source: domain rules §10; the book, rule 17.
 */
export async function recordWholeCheck(
  tx: Db,
  admin: Doer,
  wanted: NewCheck,
  today: PlainDate,
): Promise<RawJson> {
  refuseMisfit(wanted);
  refuseDay("received_on", "The day of receipt", wanted.received_on, today);
  const check = partsOf(wanted);
  const { rows } = await refuseViolations(
    {
      received_checks_once: () => alreadyRecorded(wanted.check_number, "for this payer"),
      received_checks_told_twice: (violation) =>
        recordedForFirm(wanted.check_number, violation, "admin"),
      payment_allocations_check_once: () =>
        alreadyRecorded(wanted.check_number, "on one of these debits"),
    },
    insertCheckQuery(admin, check).execute(tx),
  );
  const [answer] = rows;
  if (!answer?.checkId) throw refusalOf(check, answer);
  if (wanted.approve) await approveRecorded(tx, admin, answer.checkId);
  notifyOfAttorneys(tx, admin.networkId, answer.attorneyIds);
  return await showCheck(tx, admin.networkId, answer.checkId);
}

/** Throws 422 for what the payload itself shows to be wrong. */
function refuseMisfit(wanted: NewCheck): void {
  if ((wanted.attorney_id === undefined) === (wanted.firm_id === undefined))
    throw invalid("attorney_id", "Choose who pays: one attorney or one firm.");
  const parts = [...Object.values(wanted.shares), ...Object.values(wanted.credits)];
  if (parts.length === 0)
    throw invalid("shares", "Place the check on at least one debit, or on credit.");
  const placed = sum(parts);
  const difference = formatMoney(cents(Math.abs(wanted.amount - placed)));
  if (placed < wanted.amount)
    throw invalid("shares", `The parts do not add up: ${difference} is still to place.`);
  if (placed > wanted.amount)
    throw invalid("shares", `The parts do not add up: they exceed the check by ${difference}.`);
}

interface Parts {
  wanted: NewCheck;
  debits: { id: number; amountCents: Cents }[];
  credits: { id: number; amountCents: Cents }[];
}

function partsOf(wanted: NewCheck): Parts {
  const byId = (parts: Record<string, Cents>) =>
    Object.entries(parts)
      .map(([id, amountCents]) => ({ id: Number(id), amountCents }))
      .toSorted((a, b) => a.id - b.id);
  return { wanted, debits: byId(wanted.shares), credits: byId(wanted.credits) };
}

/** What the statement found; only a refused check brings what explains the refusal. */
interface Found {
  checkId: number | null;
  attorneyIds: number[];
  payerName: string | null;
  isDuplicate: boolean;
  debits: { id: number; attorneyId: number; availableCents: Cents; title: string }[];
  attorneys: { id: number; name: string; belongs: boolean }[];
}

/**
 * The statement that locks the debits' attorneys against a change of firm, then the debits, each in id order, and
 * inserts the check, its payments, shares, audit entry and receipts if it may be recorded: 50 debits of 10
 * attorneys cost one statement. A check that is approved at once has the receipt of that.
 */
function insertCheckQuery(admin: Doer, { wanted, debits, credits }: Parts): RawBuilder<Found> {
  const { networkId } = admin;
  const ids = (parts: Parts["debits"]) => sql`${parts.map(({ id }) => id)}::bigint[]`;
  const amounts = (parts: Parts["debits"]) =>
    sql`${parts.map(({ amountCents }) => amountCents)}::bigint[]`;
  const noted = {
    checkNumber: wanted.check_number,
    amount: dollarsText(wanted.amount),
    receivedOn: wanted.received_on,
    ...(debits.length > 0 && {
      debits: debits.map(({ id, amountCents }) => [id, dollarsText(amountCents)]),
    }),
    ...(credits.length > 0 && {
      credit: dollarsText(sum(credits.map((part) => part.amountCents))),
    }),
    ...(wanted.note && { note: wanted.note }),
  };
  const receipts = wanted.approve
    ? sql``
    : sql`, receipts as (${receiptsOfChecks({
        payments: sql`(select paid.*, case when accepted.firm_id is not null then accepted.name end as firm
          from paid cross join accepted)`,
        shares: sql`shared`,
        receipt: "recorded",
      })})`;
  return sql<Found>`${prepared}
    with payer as (${payerQuery(networkId, wanted)}),
    debit_parts as materialized (
      select * from unnest(${ids(debits)}, ${amounts(debits)}) as part (debit_id, amount_cents)
    ), credit_parts as materialized (
      select * from unnest(${ids(credits)}, ${amounts(credits)}) as part (attorney_id, amount_cents)
    ), people as materialized (
      select id, firm_id, first_name || ' ' || last_name as name from attorneys
      where network_id = ${networkId} and id in (
        select attorney_id from debits where network_id = ${networkId} and id = any(${ids(debits)})
        union select attorney_id from credit_parts)
      order by id for share
    ), locked as materialized (
      select network_id, id, attorney_id, enrolment_id, charge_id, due_on,
        balance_cents - pending_cents as available_cents
      from debits where network_id = ${networkId} and id = any(${ids(debits)})
        and (select count(*) from people) >= 0 -- all of them are locked before the first debit
      order by id for update
    ), belonging as materialized (
      select people.id, people.name, coalesce(people.id = payer.attorney_id or people.firm_id = payer.firm_id, false) as belongs
      from people cross join payer
    ), duplicate as materialized (
      select c.id from received_checks c join payer
        on c.attorney_id is not distinct from payer.attorney_id and c.firm_id is not distinct from payer.firm_id
      where c.network_id = ${networkId} and c.check_number = ${wanted.check_number}
        and c.status not in ('denied', 'returned')
    ), accepted as (
      select payer.attorney_id, payer.firm_id, payer.name from payer
      where (select count(*) from locked) = ${debits.length}::integer
        and (select count(*) from credit_parts join people on people.id = attorney_id) = ${credits.length}::integer
        and (select bool_and(belongs) from belonging) and not exists (select from duplicate)
        and not exists (select from debit_parts part join locked on locked.id = part.debit_id
          where part.amount_cents > locked.available_cents)
    ), recorded as (
      insert into received_checks
        (network_id, attorney_id, firm_id, check_number, amount_cents, received_on, note,
        is_another_check, created_by)
      select ${networkId}::bigint, attorney_id, firm_id, ${wanted.check_number}::text, ${wanted.amount}::bigint,
        ${wanted.received_on}::date, ${wanted.note}::text, ${wanted.another_check}::boolean,
        ${admin.userId}::bigint
      from accepted
      returning network_id, id, attorney_id, amount_cents, check_number, created_by
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
      returning network_id, id, attorney_id, check_number, credit_cents, received_check_id
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
      select recorded.network_id, ${admin.userId}::bigint, ${admin.name}::text, 'recorded check', 'received check',
        recorded.id, jsonb_build_object('payer', accepted.name) || ${JSON.stringify(noted)}::jsonb
      from recorded cross join accepted
    )${receipts}
    select (select id from recorded) as check_id, to_json(array(select id from people)) as attorney_ids,
      (select name from payer) as payer_name, exists (select from duplicate) as is_duplicate,
      case when exists (select from accepted) then '[]' else (
        select coalesce(json_agg(json_build_object('id', d.id, 'attorneyId', d.attorney_id,
          'availableCents', d.available_cents, 'title', ${titleOfDebit}) order by d.id), '[]') from locked as d) end as debits,
      case when exists (select from accepted) then '[]' else (
        select coalesce(json_agg(json_build_object('id', id, 'name', name, 'belongs', belongs)), '[]')
        from belonging) end as attorneys`;
}

/** The payer: one row, or none where the network has no such attorney or firm. */
function payerQuery(networkId: number, { attorney_id, firm_id }: NewCheck): RawBuilder<unknown> {
  return attorney_id === undefined
    ? sql`select null::bigint as attorney_id, id as firm_id, name from firms
        where network_id = ${networkId} and id = ${firm_id}`
    : sql`select id as attorney_id, null::bigint as firm_id, first_name || ' ' || last_name as name
        from attorneys where network_id = ${networkId} and id = ${attorney_id}`;
}

const alreadyRecorded = (checkNumber: string, where: string) => {
  const message = `Check ${checkNumber} has already been recorded ${where}.`;
  return new Refusal(409, message, { errors: [{ path: "check_number", message }] });
};

/** Why the statement has recorded nothing. */
function refusalOf({ wanted, debits, credits }: Parts, found: Found | undefined): Error {
  const { payerName = null, attorneys = [] } = found ?? {};
  const locked = new Map(found?.debits.map((debit) => [debit.id, debit]));
  const people = new Map(attorneys.map((attorney) => [attorney.id, attorney]));
  if (payerName === null) return notFound(wanted.firm_id === undefined ? "attorney" : "firm");
  if (locked.size < debits.length) return notFound("debit");
  if (credits.some(({ id }) => !people.has(id))) return notFound("attorney");
  const isFirm = wanted.firm_id !== undefined;
  for (const debit of locked.values()) {
    const owner = people.get(debit.attorneyId);
    const where = isFirm ? `who is not of ${payerName}` : `not by ${payerName}`;
    if (owner && !owner.belongs)
      return invalid(`shares.${debit.id}`, `"${debit.title}" is owed by ${owner.name}, ${where}.`);
  }
  for (const { id } of credits) {
    const owner = people.get(id);
    const why = isFirm ? `who is not of ${payerName}` : `since ${payerName} pays`;
    if (owner && !owner.belongs)
      return invalid(`credits.${id}`, `The check brings no credit to ${owner.name}, ${why}.`);
  }
  if (found?.isDuplicate) return alreadyRecorded(wanted.check_number, "for this payer");
  for (const { id, amountCents } of debits) {
    const debit = locked.get(id);
    if (debit && amountCents > debit.availableCents)
      return amountTooLarge(`shares.${id}`, debit.title, cents(debit.availableCents));
  }
  return new Error("A check that may be recorded has not been.");
}
