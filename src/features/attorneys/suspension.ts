import { sql } from "kysely";
import type { PlainDate } from "#domain/calendar.ts";
import type { Doer } from "#server/actor.ts";
import { announce } from "#server/changes.ts";
import type { Db } from "#server/database.ts";

/** What a review of suspensions did. */
export interface Reviewed {
  suspended: number;
  lifted: number;
}

const suspensionLock = 2;

/**
 * Suspend whoever must be and lift the suspensions that no longer stand, for the whole network in
 * one statement: true if and only if the rule of domain/suspension.ts says so. While it runs no
 * report is filed, so that it cannot act on what was overdue a moment ago. Source: domain rules §6.
 */
export async function reviewNetwork(tx: Db, doer: Doer, today: PlainDate): Promise<Reviewed> {
  await sql`select pg_advisory_xact_lock(${suspensionLock}, ${doer.networkId}::integer)`.execute(
    tx,
  );
  return await review(tx, doer, today, sql`true`);
}

/**
 * The same for one attorney, after a report or a matter changed. Reviews of one attorney take turns,
 * so that of two reports filed at once the later one sees the earlier.
 */
export async function reviewAttorney(
  tx: Db,
  doer: Doer,
  attorneyId: number,
  today: PlainDate,
): Promise<Reviewed> {
  await sql`select pg_advisory_xact_lock_shared(${suspensionLock}, ${doer.networkId}::integer)`.execute(
    tx,
  );
  await sql`select 1 from attorneys where network_id = ${doer.networkId} and id = ${attorneyId}
    for no key update`.execute(tx);
  return await review(tx, doer, today, sql`a.id = ${attorneyId}`);
}

async function review(
  tx: Db,
  doer: Doer,
  today: PlainDate,
  which: ReturnType<typeof sql>,
): Promise<Reviewed> {
  const { rows } = await sql<Reviewed>`
    with policy as (
      select id, suspends_overdue_attorneys as enabled,
        overdue_periods_suspension_threshold * overdue_period_in_days as tolerated
      from networks where id = ${doer.networkId}
    ), standing as (
      select a.network_id, a.id, a.suspended_at, late.reports, late.oldest, policy.tolerated
      from attorneys a
      join policy on policy.id = a.network_id
      left join lateral (
        select count(*) as reports, min(m.report_due_on) as oldest
        from matters m
        where m.network_id = a.network_id and m.attorney_id = a.id and m.status = 'open'
          and m.report_due_on < ${today.toString()}::date - policy.tolerated
      ) as late on policy.enabled
      where ${which}
    ), suspended as (
      update attorneys a
      set suspended_at = now(), suspension_reason = standing.reports || case standing.reports
          when 1 then ' status report is' else ' status reports are' end
        || ' more than ' || standing.tolerated || ' days late, the oldest due '
        || to_char(standing.oldest, 'MM/DD/YYYY') || '.'
      from standing
      where a.network_id = standing.network_id and a.id = standing.id
        and a.suspended_at is null and standing.reports > 0
      returning a.network_id, a.id, a.suspension_reason, a.first_name, a.email
    ), lifted as (
      update attorneys a set suspended_at = null, suspension_reason = null
      from standing
      where a.network_id = standing.network_id and a.id = standing.id
        and a.suspended_at is not null and coalesce(standing.reports, 0) = 0
      returning a.network_id, a.id, a.first_name, a.email
    ), told as (
      insert into mails (network_id, occasion, recipient, subject, body)
      select network_id, 'suspended:' || id || ':' || clock_timestamp(), email,
        'You are suspended from receiving referrals',
        'Dear ' || first_name || E',\n\nyou receive no new referrals for now: ' || suspension_reason
          || E'\n\nFile what is overdue and the suspension ends at once.'
      from suspended
      union all
      select network_id, 'suspension lifted:' || id || ':' || clock_timestamp(), email,
        'Your suspension is lifted',
        'Dear ' || first_name || E',\n\nyour suspension is lifted: you can receive referrals again.'
      from lifted
    ), noted as (
      insert into audit_entries (network_id, actor_user_id, actor_name, action, record_type, record_id, before, after)
      select network_id, ${doer.userId}::bigint, ${doer.name}, 'suspended', 'attorney', id,
        '{"suspended": false}'::jsonb, jsonb_build_object('suspended', true, 'reason', suspension_reason)
      from suspended
      union all
      select network_id, ${doer.userId}::bigint, ${doer.name}, 'lifted suspension', 'attorney', id,
        '{"suspended": true}'::jsonb, '{"suspended": false, "reason": "No report is overdue beyond the grace period."}'::jsonb
      from lifted
    )
    select (select count(*) from suspended) as suspended, (select count(*) from lifted) as lifted`.execute(
    tx,
  );
  const done = rows[0] ?? { suspended: 0, lifted: 0 };
  if (done.suspended + done.lifted > 0) announce(tx, doer.networkId, null);
  return done;
}

/** Who would be suspended, and how many lifted, under other rules: nothing is written. */
export async function previewReview(
  tx: Db,
  networkId: number,
  rules: { enabled: boolean; threshold: number },
  today: PlainDate,
) {
  const { rows } = await sql<{ id: number; name: string; isNow: boolean; must: boolean }>`
    select a.id, a.first_name || ' ' || a.last_name as name, a.suspended_at is not null as is_now, must
    from attorneys a
    join networks n on n.id = a.network_id
    cross join lateral (
      select ${rules.enabled} and exists (
        select from matters m
        where m.network_id = a.network_id and m.attorney_id = a.id and m.status = 'open'
          and m.report_due_on < ${today.toString()}::date - ${rules.threshold}::integer * n.overdue_period_in_days
      ) as must) as rule
    where a.network_id = ${networkId} and must <> (a.suspended_at is not null)
    order by lower(a.last_name), lower(a.first_name), a.id`.execute(tx);
  const newly = rows.filter((row) => row.must);
  return {
    suspended: newly.length,
    lifted: rows.length - newly.length,
    attorneys: newly.slice(0, 100).map(({ id, name }) => ({ id, name })),
  };
}
