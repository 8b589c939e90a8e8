import { sql } from "kysely";
import type { Day } from "#kit/domain/day.ts";
import type { Db } from "#kit/db/database.ts";
import { cents } from "#kit/domain/money.ts";
import { inTransaction } from "#kit/db/transaction.ts";
import type { MadeNetwork } from "#main/demo/records/networks.ts";

let checksMade = 0;

/** Credit of an attorney, received with an approved check of its own. Returns the check's number. */
export async function aCredit(
  db: Db,
  network: MadeNetwork,
  attorneyId: number,
  amountCents: number,
): Promise<string> {
  const of = { networkId: network.id, attorneyId, amountCents: cents(amountCents) };
  const checkNumber = `C-${(checksMade += 1)}`;
  await inTransaction(db, async (tx) => {
    const { id } = await tx
      .insertInto("receivedChecks")
      .values({ ...of, checkNumber, receivedOn: "2026-01-15" })
      .returning("id")
      .executeTakeFirstOrThrow();
    await tx
      .insertInto("payments")
      .values({
        ...of,
        method: "check",
        checkNumber,
        receivedCheckId: id,
        creditCents: of.amountCents,
      })
      .execute();
    await tx
      .updateTable("receivedChecks")
      .set({ status: "approved", decidedAt: sql<string>`now()`, decidedBy: network.admin.userId })
      .where("networkId", "=", network.id)
      .where("id", "=", id)
      .execute();
  });
  return checkNumber;
}

/** What is left of an attorney's credit, in cents. */
export async function creditOf(db: Db, attorneyId: number): Promise<number> {
  const { rows } = await sql<{ left: number }>`
    select coalesce(sum(left_cents), 0)::bigint as left from credits where attorney_id = ${attorneyId}`.execute(
    db,
  );
  return rows[0]?.left ?? 0;
}

/** A debit's balance and pending amount, in cents. */
export async function standingOf(db: Db, debitId: number) {
  return await db
    .selectFrom("debits")
    .select(["balanceCents as balance", "pendingCents as pending"])
    .where("id", "=", debitId)
    .executeTakeFirstOrThrow();
}

/** The due dates of an enrolment's debits, by period. */
export async function dueDatesOf(db: Db, enrolmentId: number): Promise<Day[]> {
  const rows = await db
    .selectFrom("debits")
    .select("dueOn")
    .where("enrolmentId", "=", enrolmentId)
    .orderBy("period")
    .execute();
  return rows.map((row) => row.dueOn);
}

/**
 * Violations of the ledger's rules in a network (domain rules §2); empty if there are none. Written
 * independently of the product's own check, to compare with it.
 */
export async function ledgerOffences(db: Db, networkId: number): Promise<string[]> {
  const { rows } = await sql<{ offence: string }>`
    with posted as (
      select debit_id, sum(case when to_account = 'receivable' then amount_cents else -amount_cents end) as balance,
        array_agg(amount_cents) filter (where cause = 'charge') as charges
      from entries where network_id = ${networkId} and debit_id is not null group by debit_id
    )
    select 'balance or charge of debit ' || d.id as offence
    from debits d left join posted on posted.debit_id = d.id
    where d.network_id = ${networkId}
      and (d.balance_cents is distinct from posted.balance
        or posted.charges is distinct from array[d.amount_cents])
    union all
    select 'pending of debit ' || d.id from debits d
    where d.network_id = ${networkId} and (
      d.pending_cents not between 0 and d.balance_cents
      or d.pending_cents <> (
        select coalesce(sum(amount_cents), 0) from payment_allocations s
        where s.network_id = d.network_id and s.debit_id = d.id and s.status = 'pending'))
    union all
    select 'period ' || period || ' of enrolment ' || enrolment_id from debits
    where network_id = ${networkId} and enrolment_id is not null
    group by enrolment_id, period having count(*) > 1
    union all
    select 'amount of payment ' || p.id from payments p
    where p.network_id = ${networkId} and p.amount_cents is distinct from p.credit_cents + (
      select coalesce(sum(amount_cents), 0) from payment_allocations s
      where s.network_id = p.network_id and s.payment_id = p.id)
    union all
    select 'credit ' || c.id from credits c
    where c.network_id = ${networkId} and (c.left_cents < 0 or c.left_cents is distinct from (
      select sum(case when from_account = 'credit' then amount_cents else -amount_cents end) from entries x
      where x.network_id = c.network_id and x.credit_id = c.id))
    union all
    select 'owner of share ' || s.id from payment_allocations s
    left join debits d on d.network_id = s.network_id and d.id = s.debit_id
    left join payments p on p.network_id = s.network_id and p.id = s.payment_id
    where s.network_id = ${networkId}
      and (d.attorney_id is distinct from s.attorney_id or p.attorney_id is distinct from s.attorney_id)
    union all
    -- Paid whole, then taken back and paid again, of a card also in parts; never more than it is, nor less than nothing.
    select 'entries of share ' || s.id from payment_allocations s
    cross join lateral (
      select coalesce(min(paid), 0) as lowest, coalesce(max(paid), 0) as highest,
        coalesce((array_agg(paid order by id))[1], 0) as first, coalesce((array_agg(paid order by id desc))[1], 0) as last
      from (
        select l.id, sum(case when l.from_account = 'receivable' then l.amount_cents else -l.amount_cents end)
          over (order by l.id) as paid
        from entries l
        where l.network_id = s.network_id and l.allocation_id = s.id and l.debit_id = s.debit_id
      ) as steps
    ) as found
    where s.network_id = ${networkId} and (lowest < 0 or highest > s.amount_cents
      or first <> case when s.status in ('pending', 'denied') then 0 else s.amount_cents end
      or last <> case s.status when 'approved' then s.amount_cents - s.taken_back_cents else 0 end)`.execute(
    db,
  );
  return rows.map((row) => row.offence);
}
