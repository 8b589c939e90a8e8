import { sql, type SqlBool } from "kysely";
import type { z } from "zod";
import type { Page } from "#contract/page.ts";
import type { Admin } from "#domain/actor.ts";
import type { Db } from "#db/database.ts";
import { refuseUnknownAttorney } from "#features/attorneys/known-attorney.ts";
import { bulkEntriesOf, describeForAttorney } from "#features/activity/bulk-changes.ts";
import type { Activity, listActivity } from "#features/activity/contract.ts";
import { undoableUntil } from "#features/subscriptions/enrolment-batches.ts";
import { displayName, recordName } from "#features/activity/record-names.ts";

/**
 * The network's audit trail, newest first: one page, with the total. Days are the network's own,
 * both included. Throws 404 for an unknown attorney. Source: domain rules §8.
 */
export async function listChanges(
  tx: Db,
  admin: Admin,
  wanted: z.output<typeof listActivity.query>,
): Promise<Page<Activity>> {
  if (wanted.attorney_id) await refuseUnknownAttorney(tx, admin, wanted.attorney_id);
  let entries = tx.selectFrom("auditEntries").where("networkId", "=", admin.networkId);
  if (wanted.who) entries = entries.where("actorName", "=", wanted.who);
  if (wanted.record_type === "received check" && wanted.record_id)
    entries = entries.where(isAboutCheck(admin.networkId, wanted.record_id));
  else {
    // Sign-ins change no record: they stand by themselves.
    entries = wanted.record_type
      ? entries.where("recordType", "=", wanted.record_type)
      : entries.where("recordType", "<>", "sign-in");
    if (wanted.record_id) entries = entries.where("recordId", "=", wanted.record_id);
  }
  if (wanted.attorney_id) entries = entries.where(isAbout(admin.networkId, wanted.attorney_id));
  if (wanted.from)
    entries = entries.where(
      sql<SqlBool>`created_at >= ${wanted.from}::date::timestamp at time zone ${admin.timeZone}`,
    );
  if (wanted.to)
    entries = entries.where(
      sql<SqlBool>`created_at < (${wanted.to}::date + 1)::timestamp at time zone ${admin.timeZone}`,
    );
  const isOldestFirst = wanted.sort === "time";
  const { total } = await entries
    .select((count) => count.fn.countAll<number>().as("total"))
    .executeTakeFirstOrThrow();
  const ids = await entries
    .select("id")
    .orderBy("id", isOldestFirst ? "asc" : "desc")
    .limit(wanted.per_page)
    .offset((wanted.page - 1) * wanted.per_page)
    .execute();
  const page = await readEntries(
    tx,
    admin,
    ids.map((entry) => entry.id),
  );
  const items = wanted.attorney_id
    ? await describeForAttorney(tx, admin.networkId, wanted.attorney_id, page)
    : page;
  return { items, total, page: wanted.page, perPage: wanted.per_page };
}

/** The newest few, without counting the others. */
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

async function readEntries(tx: Db, admin: Admin, ids: number[]): Promise<Activity[]> {
  const { rows } = await sql<Activity>`
    select e.id, e.created_at as at, e.actor_name as who, e.action, e.record_type, e.record_id,
      -- The name of who was removed stands in the entry alone.
      coalesce(record.name, case e.record_type when 'user' then e.before ->> 'name' end) as record_name, a.id as attorney_id, a.first_name || ' ' || a.last_name as attorney_name,
      e.before, e.after, (
        select b.id from enrolment_batches b
        where e.record_type = 'plan' and e.action in ('subscribed all', 'subscribed several') and b.network_id = e.network_id
          and b.id = (e.after ->> 'batchId')::bigint and ${undoableUntil} is not null) as undo_batch_id
    from audit_entries e
    left join lateral (${recordName}) as record on true
    left join attorneys a on a.network_id = e.network_id and a.id = record.attorney_id
    where e.network_id = ${admin.networkId} and e.id = any(${ids}::bigint[])
    order by array_position(${ids}::bigint[], e.id)`.execute(tx);
  return rows.map((row) => ({ ...row, recordName: displayName(row.recordType, row.recordName) }));
}

/**
 * Whether an entry is about an attorney: the record itself, its account, what belongs to it, or a
 * change of many at once that touched it.
 */
const isAbout = (networkId: number, attorneyId: number) => sql<SqlBool>`
  id in (
    select e.id from (
      select 'attorney' as kind, ${attorneyId}::bigint as id
      union all
      select kind, id from (
        select 'user' as kind, network_id, attorney_id, id from users
        union all select 'sign-in', network_id, attorney_id, id from users
        union all select 'enrolment', network_id, attorney_id, id from enrolments
        union all select 'debit', network_id, attorney_id, id from debits
        union all select 'payment', network_id, attorney_id, id from payments
        union all select 'received check', network_id, attorney_id, received_check_id from payments
          where received_check_id is not null
        union all select 'matter', network_id, attorney_id, id from matters
      ) as owned
      where owned.network_id = ${networkId} and owned.attorney_id = ${attorneyId}
    ) as records
    join audit_entries e on e.network_id = ${networkId} and e.record_type = records.kind
      and e.record_id = records.id
    union all ${bulkEntriesOf(networkId, attorneyId)})`;

/** Whether an entry is about a received check as a whole, or about one of the payments that it is. */
const isAboutCheck = (networkId: number, checkId: number) => sql<SqlBool>`
  id in (
    select e.id from (
      select 'received check' as kind, ${checkId}::bigint as id
      union all
      select 'payment', id from payments
      where network_id = ${networkId} and received_check_id = ${checkId}
    ) as records
    join audit_entries e on e.network_id = ${networkId} and e.record_type = records.kind
      and e.record_id = records.id)`;

/**
 * Everyone who has changed something, by name. Each name is found by one look into the index, so
 * that the length of the trail does not matter.
 */
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
    select name from names where name is not null order by lower(name), name`.execute(tx);
  return rows.map((row) => row.name);
}
