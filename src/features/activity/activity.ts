import { sql, type SqlBool } from "kysely";
import type { z } from "zod";
import type { Page } from "#contract/page.ts";
import type { Admin } from "#server/actor.ts";
import type { Db } from "#server/database.ts";
import type { Activity, listActivity } from "#features/activity/contract.ts";

/**
 * The network's audit trail, newest first: one page, with the total. Days are the network's own,
 * both included. Source: domain rules §8.
 */
export async function listChanges(
  tx: Db,
  admin: Admin,
  wanted: z.output<typeof listActivity.query>,
): Promise<Page<Activity>> {
  let entries = tx.selectFrom("auditEntries").where("networkId", "=", admin.networkId);
  if (wanted.who) entries = entries.where("actorName", "=", wanted.who);
  if (wanted.record_type) entries = entries.where("recordType", "=", wanted.record_type);
  if (wanted.record_id) entries = entries.where("recordId", "=", wanted.record_id);
  if (wanted.from)
    entries = entries.where(
      sql<SqlBool>`created_at >= ${wanted.from}::date::timestamp at time zone ${admin.timeZone}`,
    );
  if (wanted.to)
    entries = entries.where(
      sql<SqlBool>`created_at < (${wanted.to}::date + 1)::timestamp at time zone ${admin.timeZone}`,
    );
  const { total } = await entries
    .select((count) => count.fn.countAll<number>().as("total"))
    .executeTakeFirstOrThrow();
  const items = await entries
    .select(["id", "createdAt as at", "actorName as who", "action", "recordType", "recordId"])
    .select(["before", "after"])
    .orderBy("id", "desc")
    .limit(wanted.per_page)
    .offset((wanted.page - 1) * wanted.per_page)
    .execute();
  return { items, total, page: wanted.page, perPage: wanted.per_page };
}
