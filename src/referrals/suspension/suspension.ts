import { sql } from "kysely";
import { type PlainDate, plainDate } from "#kit/domain/calendar.ts";
import type { Day } from "#kit/domain/day.ts";
import type { ChangeAuthor } from "#kit/domain/actor.ts";
import { notifyOnCommit } from "#kit/db/changes.ts";
import type { Db } from "#kit/db/database.ts";
import { inTransaction } from "#kit/db/transaction.ts";
import { disableNestedLoops, withoutNestedLoops } from "#kit/db/planner-settings.ts";
import { lockKey, lockOf } from "#kit/db/locks.ts";
import { byPerson } from "#kit/db/sort.ts";
import {
  type OtherRules,
  suspensionDecisions,
  suspensionDecisionsEverywhere,
} from "#referrals/suspension/rule.ts";

/** What a review of suspensions did. */
export interface Reviewed {
  suspended: number;
  lifted: number;
}

/**
 * Suspend every attorney who must be and lift suspensions that no longer apply, for the whole network in one statement:
 * true if and only if the rule (rule.ts) says so. A report or rule changed concurrently gets its own review. This lock
 * is taken before any attorney's row lock, here and below. Source: domain rules §6.
 */
export async function reviewNetwork(
  tx: Db,
  author: ChangeAuthor,
  today: PlainDate,
): Promise<Reviewed> {
  await sql`select pg_advisory_xact_lock(${lockOf.suspension}, ${lockKey(author.networkId)})`.execute(
    tx,
  );
  await disableNestedLoops(tx);
  return await review(tx, author, today, null);
}

/**
 * Review the networks where a suspension differs from the rule, each as of its own day at an instant (ISO 8601) and in
 * its own transaction; one statement finds them. Errors are thrown after the other networks are done.
 */
export async function reviewEveryNetwork(db: Db, now: string): Promise<void> {
  const rows = await networksToReview(db, now);
  const problems: unknown[] = [];
  for (const { id, today } of rows) {
    const author = { networkId: id, userId: null, name: "Daily review" };
    try {
      if (today === null)
        throw new Error(`The database does not know the time zone of network ${id}.`);
      await inTransaction(db, (tx) => reviewNetwork(tx, author, plainDate(today)));
    } catch (problem) {
      problems.push(problem);
    }
  }
  if (problems.length > 0) throw new AggregateError(problems, "Some networks were not reviewed.");
}

/** `today` is null if the database does not know the network's time zone. */
async function networksToReview(db: Db, now: string): Promise<{ id: number; today: Day | null }[]> {
  const networks = sql<{ id: number; today: Day | null }>`
    select n.id, n.today
    from (select id, local_day(${now}::timestamptz, time_zone) as today from networks) as n
    where n.today is null or n.id in (
      select a.network_id
      from ${suspensionDecisionsEverywhere(now)} as standing
      join attorneys a on a.network_id = standing.network_id and a.id = standing.id
      where standing.must_suspend <> (a.suspended_at is not null)
        or (standing.must_suspend and a.suspension_reason <> standing.reason))
    order by n.id`;
  const { rows } = await withoutNestedLoops(db, (tx) => networks.execute(tx));
  return rows;
}

/**
 * Review one attorney after a report or matter changed. A lock serializes reviews of one attorney: of two concurrent
 * reports, the later review sees the earlier report.
 */
export async function reviewAttorney(
  tx: Db,
  author: ChangeAuthor,
  attorneyId: number,
  today: PlainDate,
): Promise<Reviewed> {
  await lockSuspension(tx, author.networkId);
  await sql`select 1 from attorneys where network_id = ${author.networkId} and id = ${attorneyId}
    for no key update`.execute(tx);
  return await review(tx, author, today, attorneyId);
}

/** Taken before an attorney's row is locked to change what the rule judges, as a review of all does. */
export async function lockSuspension(tx: Db, networkId: number): Promise<void> {
  await sql`select pg_advisory_xact_lock_shared(${lockOf.suspension}, ${lockKey(networkId)})`.execute(
    tx,
  );
}

async function review(
  tx: Db,
  author: ChangeAuthor,
  today: PlainDate,
  attorneyId: number | null,
): Promise<Reviewed> {
  const by = sql`${author.userId}::bigint, ${author.name}`;
  const { rows } = await sql<Reviewed>`
    with standing as ${suspensionDecisions({ networkId: author.networkId, today, attorneyId })},
    judged as materialized (
      select a.network_id, a.id, a.suspended_at is not null as is_suspended, standing.must_suspend, standing.reason
      from standing
      join attorneys a on a.network_id = standing.network_id and a.id = standing.id
      where a.network_id = ${author.networkId} and (standing.must_suspend <> (a.suspended_at is not null)
        or (standing.must_suspend and a.suspension_reason <> standing.reason))
      order by a.id for no key update of a
    ), suspended as (
      update attorneys a set suspended_at = now(), suspension_reason = judged.reason
      from judged
      where a.network_id = judged.network_id and a.id = judged.id
        and judged.must_suspend and not judged.is_suspended
      returning a.network_id, a.id, a.first_name, a.email, a.suspension_reason as reason
    ), lifted as (
      update attorneys a set suspended_at = null, suspension_reason = null
      from judged
      where a.network_id = judged.network_id and a.id = judged.id and not judged.must_suspend
      returning a.network_id, a.id, a.first_name, a.email, judged.reason
    ), restated as (
      -- Still suspended, but for other reports: the reason shown is today's.
      update attorneys a set suspension_reason = judged.reason
      from judged
      where a.network_id = judged.network_id and a.id = judged.id
        and judged.must_suspend and judged.is_suspended
    ), told as (
      insert into mails (network_id, attorney_id, occasion, recipient, facts, page_path)
      select network_id, id, 'suspended:' || id || ':' || clock_timestamp(), email,
        json_build_object('kind', 'suspended', 'firstName', first_name, 'reason', reason), '/dashboard/referrals'
      from suspended
      union all
      select network_id, id, 'suspension lifted:' || id || ':' || clock_timestamp(), email,
        json_build_object('kind', 'suspension lifted', 'firstName', first_name), '/dashboard/referrals'
      from lifted
    ), noted as (
      insert into audit_entries (network_id, actor_user_id, actor_name, action, record_type, record_id, before, after)
      select network_id, ${by}, 'suspended', 'attorney', id,
        '{"suspended": false}'::jsonb, jsonb_build_object('suspended', true, 'reason', reason)
      from suspended
      union all
      select network_id, ${by}, 'lifted suspension', 'attorney', id,
        '{"suspended": true}'::jsonb, jsonb_build_object('suspended', false, 'reason', reason)
      from lifted
    )
    select (select count(*) from suspended) as suspended, (select count(*) from lifted) as lifted`.execute(
    tx,
  );
  const done = rows[0] ?? { suspended: 0, lifted: 0 };
  if (done.suspended + done.lifted > 0) notifyOnCommit(tx, author.networkId, attorneyId);
  return done;
}

/** Who would be suspended, and how many suspensions lifted, under other rules. Writes nothing. */
export async function previewReview(
  db: Db,
  networkId: number,
  rules: OtherRules,
  today: PlainDate,
) {
  const preview = sql<{ id: number; name: string; must: boolean }>`
    select a.id, a.first_name || ' ' || a.last_name as name, must_suspend as must
    from ${suspensionDecisions({ networkId, today, rules })} as standing
    join attorneys a on a.network_id = standing.network_id and a.id = standing.id
    where must_suspend <> (a.suspended_at is not null)
    order by ${byPerson("a")}`;
  const { rows } = await withoutNestedLoops(db, (tx) => preview.execute(tx));
  const newly = rows.filter((row) => row.must);
  return {
    suspended: newly.length,
    lifted: rows.length - newly.length,
    attorneys: newly.slice(0, 100).map(({ id, name }) => ({ id, name })),
  };
}
