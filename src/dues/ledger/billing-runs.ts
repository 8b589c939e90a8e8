import { sql } from "kysely";
import type { Page, PageQuery } from "#kit/contract/page.ts";
import type { PlainDate } from "#kit/domain/calendar.ts";
import type { Day } from "#kit/domain/day.ts";
import { type Cents, cents } from "#kit/domain/money.ts";
import type { Admin } from "#kit/domain/actor.ts";
import type { Db } from "#kit/db/database.ts";
import { withoutNestedLoops } from "#kit/db/planner-settings.ts";
import type { BillingRun, DueButNotBilled } from "#dues/ledger/contract.ts";
import { isKnownToBeBilled } from "#dues/ledger/billing-progress.ts";
import { runsWithoutLock } from "#dues/ledger/billing-run-lock.ts";

/** Billing runs, newest first. An unfinished run is interrupted if no process holds its lock. */
export async function listRuns(tx: Db, admin: Admin, query: PageQuery): Promise<Page<BillingRun>> {
  const runs = tx.selectFrom("billingRuns").where("networkId", "=", admin.networkId);
  const { total } = await runs
    .select((count) => count.fn.countAll<number>().as("total"))
    .executeTakeFirstOrThrow();
  const newest = runs
    .select(["id", "asOf", "startedAt", "finishedAt", "debits", "amountCents as amount"])
    .select(["failures", "failureReason"])
    .orderBy("id", "desc")
    .limit(query.per_page)
    .offset((query.page - 1) * query.per_page);
  const seen = await newest.execute();
  const open = seen.filter(({ finishedAt }) => finishedAt === null).map(({ id }) => id);
  const interrupted = await runsWithoutLock(tx, admin.networkId, open);
  // A run ends before it releases its lock, so it may have ended since: read again.
  const rows = interrupted.size > 0 ? await newest.execute() : seen;
  const items = rows.map((run) => ({
    ...run,
    isInterrupted: run.finishedAt === null && interrupted.has(run.id),
  }));
  return { items, total, page: query.page, perPage: query.per_page };
}

/**
 * Active enrolments with fewer debits than periods due through a day, found without the records of
 * earlier runs. Debits are counted in one grouping. Where some lie outside those periods, as after a run
 * for a future day, the ones inside are counted separately.
 */
const underbilledEnrolments = (networkId: number, through: Day) => sql`
  select active.* from (
    select e.*, p.name, p.amount_cents, p.frequency_in_months,
      period_on_or_before(e.start_date, p.frequency_in_months, ${through}::date) as last_period
    from enrolments e
    join plans p on p.network_id = e.network_id and p.id = e.plan_id
    where e.network_id = ${networkId} and e.archived_at is null
    offset 0 -- computes the period once
  ) as active
  left join (
    select enrolment_id, count(*) as debits, min(period) as first, max(period) as last
    from debits where network_id = ${networkId} group by enrolment_id
  ) as billed on billed.enrolment_id = active.id
  where last_period >= first_period and last_period - first_period + 1 > case
    when billed.debits is null then 0
    when billed.first >= first_period and billed.last <= last_period then billed.debits
    else (
      select count(*) from debits d
      where d.network_id = active.network_id and d.enrolment_id = active.id
        and d.period between active.first_period and active.last_period) end`;

/** Whether a debit due on or before a day is missing. */
export async function hasMissingDebit(db: Db, networkId: number, through: Day): Promise<boolean> {
  const found = sql<{ found: boolean }>`
    select exists (${underbilledEnrolments(networkId, through)}) as found`;
  const { rows } = await withoutNestedLoops(db, (tx) => found.execute(tx));
  return rows[0]?.found ?? false;
}

/** The periods of an underbilled enrolment `e` that have no debit, as `k`. */
const unbilledPeriods = sql`generate_series(e.first_period, e.last_period) as k
    where not exists (
      select from debits d
      where d.network_id = e.network_id and d.enrolment_id = e.id and d.period = k)`;

/**
 * The number and sum of the rows that `findDueButNotBilled` would find without its limit. Zero, without
 * looking, if the network is known to be billed through today.
 */
export async function countDueButNotBilled(
  db: Db,
  admin: Admin,
  today: PlainDate,
): Promise<{ count: number; amountCents: Cents }> {
  const day = today.toString();
  const { rows: known } = await sql<{ isBilled: boolean }>`
    select ${isKnownToBeBilled(day)} as is_billed
    from billing_progress where network_id = ${admin.networkId}`.execute(db);
  if (known[0]?.isBilled) return { count: 0, amountCents: cents(0) };
  const { rows } = await withoutNestedLoops(db, (tx) =>
    sql<{ count: number; amountCents: Cents }>`
      with short as (${underbilledEnrolments(admin.networkId, day)})
      select count(*) as count, coalesce(sum(e.amount_cents), 0)::bigint as amount_cents
      from short e cross join lateral ${unbilledPeriods}`.execute(tx),
  );
  return rows[0] ?? { count: 0, amountCents: cents(0) };
}

/**
 * Periods that should have been billed by today and were not, at most 1,000 rows. Empty unless something
 * is wrong. Compares each enrolment's periods with its debits, ignoring the records of earlier runs.
 */
export async function findDueButNotBilled(
  db: Db,
  admin: Admin,
  today: PlainDate,
): Promise<DueButNotBilled[]> {
  const due = sql<DueButNotBilled>`
    with short as (${underbilledEnrolments(admin.networkId, today.toString())})
    select e.id as enrolment_id, e.attorney_id, a.first_name || ' ' || a.last_name as attorney_name,
      e.name, greatest(e.enrolled_on, period_date(e.start_date, e.frequency_in_months, k)) as due_date,
      e.amount_cents as amount
    from short e
    join attorneys a on a.network_id = e.network_id and a.id = e.attorney_id
    cross join lateral ${unbilledPeriods}
    order by due_date, e.id limit 1000`;
  const { rows } = await withoutNestedLoops(db, (tx) => due.execute(tx));
  return rows;
}
