import { sql } from "kysely";
import type { PlainDate } from "#kit/domain/calendar.ts";
import type { ChangeAuthor } from "#kit/domain/actor.ts";
import { notifyOnCommit } from "#kit/db/changes.ts";
import type { Db } from "#kit/db/database.ts";
import { analyzeAfterBulkInsert } from "#kit/db/planner-settings.ts";
import { analyzeStagingTable, createStagingTable } from "#kit/db/staging-tables.ts";
import { lateFee } from "#main/demo/demo-payment-patterns.ts";
import { seededRandomSql } from "#main/demo/seeded-random-sql.ts";

export interface SeededPayments {
  checks: number;
  adjustments: number;
}

/** Each share updates its debit's row twice, so more would take longer than billing. */
const maxDebits = 25_000;

/**
 * Pay and adjust some of the seeded debits, with checks in every state: approved (all or half of the balance), denied,
 * pending; and with adjustments both ways. Nine in ten debits of a small seed, 25,000 at most.
 */
export async function seedPayments(
  tx: Db,
  { networkId }: ChangeAuthor,
  wanted: { attorneyIds: number[]; seed: number; debits: number; today: PlainDate },
): Promise<SeededPayments> {
  const share = Math.min(0.9, maxDebits / Math.max(1, wanted.debits));
  await choosePaymentOutcomes(tx, networkId, { ...wanted, share });
  const adjustments = await insertAdjustments(tx);
  const checks = await insertChecks(tx);
  await decideChecks(tx);
  await analyzeAfterBulkInsert(tx, adjustments + checks, [
    "debits",
    "entries",
    "payments",
    "paymentAllocations",
  ]);
  notifyOnCommit(tx, networkId, null);
  return { checks, adjustments };
}

async function choosePaymentOutcomes(
  tx: Db,
  networkId: number,
  wanted: { attorneyIds: number[]; seed: number; today: PlainDate; share: number },
): Promise<void> {
  await createStagingTable(tx, "seeded_outcomes");
  const key = sql`a.number || ':' || d.amount_cents || ':' || d.due_on`;
  await sql`
    insert into seeded_outcomes (network_id, attorney_id, debit_id, amount_cents, number, outcome, happened_at)
    select d.network_id, d.attorney_id, d.id, d.amount_cents, a.number,
      case
        when outcome < 0.70 then 'paid'
        when outcome < 0.78 then 'half paid'
        when outcome < 0.86 and d.due_on > ${wanted.today.toString()}::date - 60 then 'pending'
        when outcome < 0.86 then 'paid'
        when outcome < 0.91 then 'denied'
        when outcome < 0.96 then 'decreased'
        else 'increased' end,
      least(now(), d.due_on + 15 + interval '1 day' * floor(20 * ${seededRandomSql(wanted.seed, sql`'day ' || ${key}`)}))
    from unnest(${wanted.attorneyIds}::bigint[]) with ordinality as a (id, number)
    join debits d on d.network_id = ${networkId} and d.attorney_id = a.id
    cross join lateral (select ${seededRandomSql(wanted.seed, sql`'fate ' || ${key}`)} as outcome) as chosen
    where ${seededRandomSql(wanted.seed, sql`'touched ' || ${key}`)} < ${wanted.share}`.execute(tx);
  await sql`
    update seeded_outcomes set
      paid_cents = case when outcome = 'half paid' then (amount_cents + 1) / 2
        when outcome in ('paid', 'pending', 'denied') then amount_cents end,
      adjusted_cents = case outcome when 'decreased' then -((amount_cents + 3) / 4) when 'increased' then ${lateFee.amountCents}::bigint end,
      check_number = to_char(happened_at, 'YYMM') || '-' || number || '-' || left(outcome, 1)`.execute(
    tx,
  );
}

async function insertAdjustments(tx: Db): Promise<number> {
  const { numAffectedRows } = await sql`
    insert into entries (network_id, cause, from_account, to_account, amount_cents, day, attorney_id, debit_id, note,
      created_at)
    select network_id, 'adjustment', case outcome when 'decreased' then 'receivable' else 'adjustments' end,
      case outcome when 'decreased' then 'adjustments' else 'receivable' end, abs(adjusted_cents),
      (happened_at at time zone (select time_zone from networks n where n.id = network_id))::date, attorney_id, debit_id,
      case outcome when 'decreased' then 'Reduced for hardship' else ${lateFee.note} end, happened_at
    from seeded_outcomes where adjusted_cents is not null order by happened_at, number, debit_id`.execute(
    tx,
  );
  return Number(numAffectedRows ?? 0);
}

/** One check pays an attorney's debits of one month with the same outcome. */
async function insertChecks(tx: Db): Promise<number> {
  const { rows } = await sql<{ checks: number }>`
    with paid as (
      insert into payments (network_id, attorney_id, method, amount_cents, check_number, created_at)
      select network_id, attorney_id, 'check', sum(paid_cents)::bigint, check_number, min(happened_at)
      from seeded_outcomes where paid_cents is not null
      group by network_id, attorney_id, check_number order by min(happened_at), attorney_id, check_number
      returning network_id, id, attorney_id, check_number, created_at
    ), shared as (
      insert into payment_allocations
        (network_id, attorney_id, payment_id, debit_id, amount_cents, check_number, created_at)
      select paid.network_id, paid.attorney_id, paid.id, debit_id, paid_cents, paid.check_number, paid.created_at
      from paid join seeded_outcomes as f
        on f.attorney_id = paid.attorney_id and f.check_number = paid.check_number
      where paid_cents is not null order by paid.id, debit_id
    )
    select count(*) as checks from paid`.execute(tx);
  return rows[0]?.checks ?? 0;
}

async function decideChecks(tx: Db): Promise<void> {
  await analyzeStagingTable(tx, "seeded_outcomes");
  await sql`
    update payment_allocations as s
    set status = case f.outcome when 'denied' then 'denied' else 'approved' end,
      decided_at = least(now(), s.created_at + interval '3 days')
    from seeded_outcomes as f
    where s.network_id = f.network_id and s.debit_id = f.debit_id and s.check_number = f.check_number
      and s.status = 'pending' and f.outcome in ('paid', 'half paid', 'denied')`.execute(tx);
}
