import { sql } from "kysely";
import type { PlainDate } from "#kit/domain/calendar.ts";
import type { Day } from "#kit/domain/day.ts";
import type { Cents } from "#kit/domain/money.ts";
import { violatedConstraint } from "#kit/contract/refusal.ts";
import type { Db } from "#kit/db/database.ts";
import { lockKey, lockOf } from "#kit/db/locks.ts";
import {
  applyCreditToNewDebits,
  hasCreditToApply,
  type NewDebits,
} from "#dues/ledger/automatic-credit.ts";

export interface BillingResult {
  debits: number;
  amountCents: Cents;
  /** The last enrolment of the chunk; null when none was left. */
  lastEnrolmentId: number | null;
}

export interface BillingScope {
  networkId: number;
  asOf: PlainDate;
  /** One plan or some enrolments; otherwise the network's enrolments after `after` up to `upTo`. */
  planId?: number;
  enrolmentId?: number;
  enrolmentIds?: number[];
  after?: number;
  upTo?: number;
  atMost?: number;
  /** Throw (`isBilledTwice`) if another transaction bills the same period, instead of skipping it: a tenth faster. */
  throwsWhenBilledTwice?: boolean;
  /** Periods on or before this day are known to be billed. */
  billedThrough?: Day | null;
  billingRunId?: number;
  createdBy?: number | null;
}

/**
 * The debits due through a day that do not exist yet, as rows of (network_id, attorney_id, enrolment_id,
 * period, due_on, amount_cents, plan). The rule of domain/billing-schedule.ts, for a set of enrolments
 * (`chunk`).
 */
const dueDebits = (scope: BillingScope) => sql`
  select c.network_id, c.attorney_id, c.id as enrolment_id, k as period,
    greatest(c.enrolled_on, period_date(c.start_date, c.frequency_in_months, k)) as due_on,
    c.amount_cents, c.plan
  from chunk c
  cross join lateral generate_series(
    ${
      scope.billedThrough
        ? sql`greatest(c.first_period,
            1 + period_on_or_before(c.start_date, c.frequency_in_months, ${scope.billedThrough}::date))`
        : sql`c.first_period`
    },
    period_on_or_before(c.start_date, c.frequency_in_months, ${scope.asOf.toString()}::date)
  ) as k
  where c.archived_at is null and ${scope.enrolmentId === undefined ? isNotBilled(scope.networkId) : isNotFound}`;

/** Whether an enrolment (`c`) has no debit of period `k`. Looked up by key: as a join, each chunk would read every debit. */
const isNotFound = sql`not exists (
  select from debits d
  where d.network_id = c.network_id and d.enrolment_id = c.id and d.period = k
  offset 0)`;

/** From this many on, debits are looked up one by one. */
const manyDebits = 2_000;

/**
 * The same for many enrolments. With few debits they are read once: while the statistics say the table is
 * empty, the planner may look each debit up without the key, and so read all that the statement has inserted.
 */
const isNotBilled = (networkId: number) => sql`case
  when (select count(*) from (select from debits limit ${manyDebits}) as looked_at) = ${manyDebits} then ${isNotFound}
  else (c.id, k) not in (
    select d.enrolment_id, d.period from debits d
    where d.network_id = ${networkId} and d.enrolment_id is not null limit ${manyDebits}) end`;

/** The enrolments of the scope, by primary key. */
const chunkOf = (scope: BillingScope) => sql`
  select e.network_id, e.id, e.attorney_id, e.start_date, e.enrolled_on, e.first_period,
    e.archived_at, p.amount_cents, p.frequency_in_months, p.name as plan
  from enrolments e
  join plans p on p.network_id = e.network_id and p.id = e.plan_id
  where e.network_id = ${scope.networkId}
    ${scope.planId === undefined ? sql`` : sql`and e.plan_id = ${scope.planId} and e.archived_at is null`}
    ${scope.enrolmentId === undefined ? sql`` : sql`and e.id = ${scope.enrolmentId}`}
    ${scope.enrolmentIds === undefined ? sql`` : sql`and e.id = any(${scope.enrolmentIds}::bigint[])`}
    ${scope.after === undefined ? sql`` : sql`and e.id > ${scope.after}`}
    ${scope.upTo === undefined ? sql`` : sql`and e.id <= ${scope.upTo}`}
  order by e.id
  ${scope.atMost === undefined ? sql`` : sql`limit ${scope.atMost}`}`;

const debitKey = "debits_once_a_period";

/** Whether a transaction failed because another one created the same debit first. */
export const isBilledTwice = (problem: unknown): boolean =>
  violatedConstraint(problem, [debitKey]) !== undefined;

/**
 * Create the debits that are due and their entries, in one statement. The unique key (enrolment, period)
 * keeps each from being created twice, however often and however concurrently this runs. A second
 * statement pays the new debits from credit. Source: domain rules §3, §10.
 */
export async function createDueDebits(
  tx: Db,
  scope: BillingScope,
): Promise<BillingResult & { fromCreditCents: Cents }> {
  const { rows } = await sql<BillingResult & NewDebits>`
    with chunk as materialized (${chunkOf(scope)}),
    made as (
      insert into debits (network_id, attorney_id, enrolment_id, period, due_on, amount_cents,
        balance_cents, income_account, billing_run_id, created_by)
      select due.network_id, due.attorney_id, due.enrolment_id, due.period, due.due_on,
        due.amount_cents, due.amount_cents, 'dues_income:' || due.plan, ${scope.billingRunId ?? null}::bigint,
        ${scope.createdBy ?? null}::bigint
      from (${dueDebits(scope)}) as due
      ${scope.throwsWhenBilledTwice ? sql`` : sql`on conflict on constraint ${sql.id(debitKey)} do nothing`}
      returning id, amount_cents
    )
    select count(*) as debits, coalesce(sum(amount_cents), 0)::bigint as amount_cents,
      (select max(id) from chunk) as last_enrolment_id,
      min(id) as first_debit_id, max(id) as last_debit_id,
      ${hasCreditToApply(scope.networkId)} as has_credit_to_apply
    from made`.execute(tx);
  const made = rows[0] as BillingResult & NewDebits; // an aggregate always has a row
  const { networkId, createdBy } = scope;
  const fromCreditCents = await applyCreditToNewDebits(tx, { ...made, networkId, createdBy });
  return { ...made, fromCreditCents };
}

/** Count the debits that billing would create, without creating them. */
export async function countDueDebits(db: Db, scope: BillingScope): Promise<BillingResult> {
  const { rows } = await sql<BillingResult>`
    with chunk as (${chunkOf(scope)})
    select count(*) as debits, coalesce(sum(amount_cents), 0)::bigint as amount_cents,
      max(enrolment_id) as last_enrolment_id
    from (${dueDebits(scope)}) as due`.execute(db);
  return rows[0] as BillingResult;
}

/**
 * A shared lock, held by each transaction that enrolls and each chunk of a billing run. It waits only for
 * `lockEnrolling`: a run that closes must see every enrolment, and an undo every debit of the enrolments
 * it ends.
 */
export async function lockBilling(tx: Db, networkId: number): Promise<void> {
  await sql`select pg_advisory_xact_lock_shared(${lockOf.billing}, ${lockKey(networkId)})`.execute(
    tx,
  );
}

/** Wait for this network's transactions that enroll or bill, and block new ones until the commit. */
export async function lockEnrolling(tx: Db, networkId: number): Promise<void> {
  await sql`select pg_advisory_xact_lock(${lockOf.billing}, ${lockKey(networkId)})`.execute(tx);
}
