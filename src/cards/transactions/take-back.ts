import { sql } from "kysely";
import { type Cents, cents, sum, zero } from "#kit/domain/money.ts";
import type { ChangeAuthor } from "#kit/domain/actor.ts";
import type { Db } from "#kit/db/database.ts";
import type { LockedPayment } from "#cards/charge/locked-payment.ts";

/*
 * Takes back, or brings back, what a card payment received: its shares of debits and its credit. Callers
 * lock the attorney, credits and debits first (lockPayment).
 */

/** The status of shares that are taken back in full. */
export type TakenBack = "refunded" | "failed" | "charged_back";

interface Taking {
  as: TakenBack;
  author: ChangeAuthor;
}

export interface MovedShare {
  id: number;
  amountCents: Cents;
}

/** The amounts moved on shares; the rest moved as credit. */
export interface Moved {
  shares: MovedShare[];
  /** Reversed or received as credit. */
  creditCents: Cents;
}

/**
 * Take back an amount of a payment: first its credit, unused and then applied (a card's credit goes back
 * only by refunding the card), then its shares, newest first. Answers what moved. Source: book rule 5.
 */
export async function takeBack(
  tx: Db,
  payment: LockedPayment,
  amount: Cents,
  { as, author }: Taking,
): Promise<Moved> {
  let left = amount;
  left = cents(left - (await takeUnusedCredit(tx, payment, left, { as, author })));
  left = cents(left - (await takeAppliedCredit(tx, payment, left, { as, author })));
  const creditCents = cents(amount - left);
  const shares = await takeShares(tx, payment, left, { as, author });
  if (sum(shares.map(({ amountCents }) => amountCents)) !== left)
    throw new Error("More would be reversed than the payment has received.");
  return { shares, creditCents };
}

const ofPayment = ({ networkId, paymentId }: LockedPayment) =>
  sql`k.network_id = ${networkId} and k.payment_id = ${paymentId}`;

/** Each row's part of an amount spread over rows in an order; rows have `cents`. */
const partOf = (amount: Cents, order: ReturnType<typeof sql>) => sql`
  least(cents, ${amount} - (sum(cents) over (order by ${order}) - cents))::bigint`;

interface Taken {
  cents: Cents;
}

const takenCents = ({ rows }: { rows: Taken[] }): Cents => rows[0]?.cents ?? zero;

async function takeUnusedCredit(
  tx: Db,
  payment: LockedPayment,
  amount: Cents,
  { as, author }: Taking,
) {
  if (amount === 0) return zero;
  return takenCents(
    await sql<Taken>`
      with parts as (
        select *, ${partOf(amount, sql`id desc`)} as part from (
          select k.network_id, k.attorney_id, k.id, k.left_cents as cents from credits k
          where ${ofPayment(payment)} and k.left_cents > 0) as unused
      ), taken as (
        insert into entries (network_id, cause, from_account, to_account, amount_cents, day, attorney_id, credit_id,
          reference, note, actor_user_id)
        select network_id, 'credit_reversed', ${`clearing:${payment.processor}`}, 'credit', part, network_day(network_id),
          attorney_id, id, ${payment.transactionId}, ${notes[as]}, ${author.userId}
        from parts where part > 0 order by id desc
        returning amount_cents
      )
      select coalesce(sum(amount_cents), 0)::bigint as cents from taken`.execute(tx),
  );
}

const notes: Record<TakenBack, string> = {
  refunded: "The card payment was refunded",
  charged_back: "The card payment was charged back",
  failed: "The card payment could not be collected",
};

/** Takes credit off the debits it was applied to, newest first, then reverses it. */
async function takeAppliedCredit(
  tx: Db,
  payment: LockedPayment,
  amount: Cents,
  { as, author }: Taking,
) {
  if (amount === 0) return zero;
  return takenCents(
    await sql<Taken>`
      with parts as materialized (
        select *, ${partOf(amount, sql`newest desc`)} as part from (
          select k.network_id, k.attorney_id, k.id, e.debit_id, -sum(e.credit_cents)::bigint as cents,
            max(e.id) as newest
          from credits k
          join entries e on e.network_id = k.network_id and e.credit_id = k.id and e.debit_id is not null
          where ${ofPayment(payment)}
          group by k.network_id, k.attorney_id, k.id, e.debit_id having sum(e.credit_cents) < 0) as applied
      ), taken as (
        insert into entries (network_id, cause, from_account, to_account, amount_cents, day, attorney_id, credit_id,
          debit_id, reference, note, actor_user_id)
        select p.network_id, step.cause, step.from_account, step.to_account, p.part, network_day(p.network_id),
          p.attorney_id, p.id, case step.turn when 1 then p.debit_id end, ${payment.transactionId}, ${notes[as]},
          ${author.userId}
        from parts p
        cross join (values (1, 'credit_taken_off', 'credit', 'receivable'),
          (2, 'credit_reversed', ${`clearing:${payment.processor}`}, 'credit')) as step (turn, cause, from_account, to_account)
        where p.part > 0 order by p.newest desc, step.turn
      )
      select coalesce(sum(part) filter (where part > 0), 0)::bigint as cents from parts`.execute(
      tx,
    ),
  );
}

async function takeShares(
  tx: Db,
  { networkId, paymentId }: LockedPayment,
  amount: Cents,
  { as, author }: Taking,
): Promise<MovedShare[]> {
  if (amount === 0) return [];
  const { rows } = await sql<MovedShare>`
    with parts as (
      select *, ${partOf(amount, sql`id desc`)} as part from (
        select id, amount_cents - taken_back_cents as cents from payment_allocations
        where network_id = ${networkId} and payment_id = ${paymentId} and status = 'approved') as counting
    )
    update payment_allocations s set status = case when parts.part = parts.cents then ${as} else 'approved' end,
      taken_back_cents = case when parts.part = parts.cents then 0 else s.taken_back_cents + parts.part end,
      taken_back_as = ${as}, decided_at = clock(), decided_by = ${author.userId}
    from parts
    where parts.part > 0 and s.network_id = ${networkId} and s.id = parts.id
    returning s.id, parts.part as amount_cents`.execute(tx);
  return rows;
}

/**
 * An amount of a payment is received again: its shares pay what is still owed and not reserved, oldest
 * first; the rest becomes credit. Answers what moved. Source: book rules 4, 5.
 */
export async function receiveAgain(
  tx: Db,
  { networkId, paymentId, attorneyId, processor, transactionId }: LockedPayment,
  amount: Cents,
  author: ChangeAuthor,
): Promise<Moved> {
  const { rows } = await sql<MovedShare>`
    with parts as (
      select *, ${partOf(amount, sql`id`)} as part from (
        select s.id, s.amount_cents, missing.cents as missing, least(missing.cents, d.balance_cents - d.pending_cents) as cents
        from payment_allocations s
        join debits d on d.network_id = s.network_id and d.id = s.debit_id
        cross join lateral (select case s.status when 'approved' then s.taken_back_cents else s.amount_cents end as cents)
          as missing
        where s.network_id = ${networkId} and s.payment_id = ${paymentId}
          and s.status in ('approved', 'refunded', 'failed', 'charged_back') and missing.cents > 0
          and d.balance_cents > d.pending_cents) as open
    )
    update payment_allocations s set status = 'approved', taken_back_cents = parts.missing - parts.part,
      decided_at = clock(), decided_by = ${author.userId}
    from parts
    where parts.part > 0 and s.network_id = ${networkId} and s.id = parts.id
    returning s.id, parts.part as amount_cents`.execute(tx);
  const rest = cents(amount - sum(rows.map(({ amountCents }) => amountCents)));
  if (rest > 0)
    await sql`
      with received as (
        insert into credits (network_id, attorney_id, payment_id, amount_cents)
        values (${networkId}, ${attorneyId}, ${paymentId}, ${rest}) returning *
      )
      insert into entries (network_id, cause, from_account, to_account, amount_cents, day, attorney_id, credit_id,
        reference, note, actor_user_id)
      select network_id, 'credit_received', 'credit', ${`clearing:${processor}`}, amount_cents, network_day(network_id),
        attorney_id, id, ${transactionId}, 'Card payment', ${author.userId}
      from received`.execute(tx);
  return { shares: rows, creditCents: rest };
}
