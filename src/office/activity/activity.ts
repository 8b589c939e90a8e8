import { sql } from "kysely";
import type { z } from "zod";
import type { PlainDate } from "#kit/domain/calendar.ts";
import type { Admin } from "#kit/domain/actor.ts";
import type { Db } from "#kit/db/database.ts";
import { asSorted } from "#kit/db/sort.ts";
import type { Activity, listActivity } from "#office/activity/contract.ts";
import { undoableUntil } from "#dues/plans/enrolment-batches.ts";
import { changeColumns, activityRows, withRecord } from "#office/activity/activity.rows.ts";
import { listPageOf } from "#kit/list/list-page.ts";

/**
 * The network's audit trail, newest first: one page, with the total. Days are the network's own, both included. Throws
 * 404 for an unknown attorney. Source: domain rules §8.
 */
export const listChanges = (
  tx: Db,
  admin: Admin,
  wanted: z.output<typeof listActivity.query>,
  today: PlainDate,
) =>
  listPageOf(tx, activityRows, { admin, today }, wanted, (ids) =>
    readEntries(tx, admin, ids, wanted.attorney_id),
  );

/** The newest few, without a total. */
export async function latestChanges(tx: Db, admin: Admin, atMost: number): Promise<Activity[]> {
  const newest = await tx
    .selectFrom("auditEntries")
    .select("id")
    .where("networkId", "=", admin.networkId)
    .where("recordType", "<>", "sign-in")
    .orderBy("id", "desc")
    .limit(atMost)
    .execute();
  return await readEntries(
    tx,
    admin,
    newest.map(({ id }) => id),
  );
}

/** Bulk changes in an attorney's list show only what they did to that attorney. */
async function readEntries(
  tx: Db,
  { networkId }: Admin,
  ids: number[],
  attorneyId?: number,
): Promise<Activity[]> {
  const { action, before, after, recordName } = changeColumns;
  const { rows } = await sql<Activity>`
    select e.id, e.created_at as at, e.actor_name as who, ${action} as action, e.record_type, e.record_id,
      ${recordName} as record_name, a.id as attorney_id,
      a.first_name || ' ' || a.last_name as attorney_name, ${before} as before, ${after} as after, (
        -- Undoing it would undo it for everybody.
        select b.id from enrolment_batches b
        where own.id is null and e.record_type = 'plan' and e.action in ('subscribed all', 'subscribed several')
          and b.network_id = e.network_id
          and b.id = (e.after ->> 'batchId')::bigint and ${undoableUntil} is not null) as undo_batch_id
    from audit_entries e ${withRecord({ networkId, attorneyId, ids })}
    where e.network_id = ${networkId} and e.id = any(${ids}::bigint[])
    order by array_position(${ids}::bigint[], e.id)`.execute(tx);
  return rows;
}

/** Everyone with a change, by name. One index lookup per name, so the trail's length does not matter. */
export async function listActors(tx: Db, admin: Admin): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    with recursive names as (
      (select actor_name as name from audit_entries
        where network_id = ${admin.networkId} and record_type <> 'sign-in'
        order by actor_name limit 1)
      union all
      select (select e.actor_name from audit_entries e
        where e.network_id = ${admin.networkId} and e.actor_name > names.name
          and e.record_type <> 'sign-in'
        order by e.actor_name limit 1)
      from names where names.name is not null
    )
    select name from names where name is not null order by ${asSorted(sql`name`)}, name`.execute(
    tx,
  );
  return rows.map((row) => row.name);
}
