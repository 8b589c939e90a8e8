import { type RawBuilder, sql } from "kysely";
import type { z } from "zod";
import type { Admin } from "#domain/actor.ts";
import type { PlainDate } from "#domain/calendar.ts";
import { notFound } from "#contract/refusal.ts";
import type { Db } from "#db/database.ts";
import { jsonQueryOrThrow, type RawJson } from "#db/json-query.ts";
import { refuseUnknownAttorney } from "#features/attorneys/known-attorney.ts";
import type { listDebits } from "#features/ledger/contract.ts";
import { debitJson, namedDebits } from "#features/ledger/debits.ts";

type Wanted = z.output<typeof listDebits.query>;

/**
 * One page of a network's debits, of one attorney, of a firm's attorneys or of a plan where that is
 * asked. Throws 404 for an attorney, a firm or a plan of another network.
 */
export async function listDebitsOfNetwork(
  tx: Db,
  admin: Admin,
  wanted: Wanted,
  today: PlainDate,
): Promise<RawJson> {
  const { page, per_page } = wanted;
  if (wanted.attorney_id) await refuseUnknownAttorney(tx, admin, wanted.attorney_id);
  if (wanted.firm_id) await refuseUnknown(tx, admin, "firms", wanted.firm_id);
  if (wanted.plan_id) await refuseUnknown(tx, admin, "plans", wanted.plan_id);
  const order = wanted.state === "paid" ? sql`due_on desc, id desc` : sql`due_on, id`;
  return await jsonQueryOrThrow(
    tx,
    sql<{ body: string }>`
      with found as materialized (
        select d.id, d.due_on from debits d where ${conditions(admin.networkId, wanted, today)}
      ), shown as (
        select id from found order by ${order} limit ${per_page} offset ${(page - 1) * per_page}
      )
      select json_build_object('total', (select count(*) from found),
        'page', ${page}::int, 'perPage', ${per_page}::int,
        'items', (
          select coalesce(json_agg(to_jsonb(${debitJson}) || jsonb_build_object(
              'attorneyName', a.first_name || ' ' || a.last_name) order by ${orderOf(wanted)}), '[]')
          from ${namedDebits}
          join attorneys a on a.network_id = d.network_id and a.id = d.attorney_id
          where d.network_id = ${admin.networkId} and d.id in (select id from shown)))::text as body`,
  );
}

const orderOf = ({ state }: Wanted) =>
  state === "paid" ? sql`d.due_on desc, d.id desc` : sql`d.due_on, d.id`;

function conditions(networkId: number, wanted: Wanted, today: PlainDate): RawBuilder<unknown> {
  const { state, min_days, attorney_id, firm_id, plan_id } = wanted;
  const dueBy = (day: PlainDate) => sql`d.due_on <= ${day.toString()}`;
  const all = [
    sql`d.network_id = ${networkId}`,
    state === "paid" ? sql`d.balance_cents = 0` : sql`d.balance_cents > 0`,
    state === "overdue" && dueBy(today.subtract({ days: 1 })),
    min_days !== undefined && dueBy(today.subtract({ days: min_days })),
    attorney_id !== undefined && sql`d.attorney_id = ${attorney_id}`,
    firm_id !== undefined &&
      sql`d.attorney_id in (
        select id from attorneys where network_id = ${networkId} and firm_id = ${firm_id})`,
    plan_id !== undefined &&
      sql`exists (select from enrolments e where e.network_id = d.network_id
        and e.id = d.enrolment_id and e.plan_id = ${plan_id})`,
  ];
  return sql.join(
    all.filter((condition) => condition !== false),
    sql` and `,
  );
}

async function refuseUnknown(
  tx: Db,
  { networkId }: Admin,
  table: "firms" | "plans",
  id: number,
): Promise<void> {
  const known = await tx
    .selectFrom(table)
    .select("id")
    .where("networkId", "=", networkId)
    .where("id", "=", id)
    .executeTakeFirst();
  if (!known) throw notFound(table === "firms" ? "firm" : "plan");
}
