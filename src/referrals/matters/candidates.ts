import { sql } from "kysely";
import type { z } from "zod";
import type { Page } from "#kit/contract/page.ts";
import type { PlainDate } from "#kit/domain/calendar.ts";
import type { Admin } from "#kit/domain/actor.ts";
import type { Db } from "#kit/db/database.ts";
import { ranked } from "#kit/db/name-rank.ts";
import { listJson, shapeJson } from "#kit/db/shape-json.ts";
import { byPerson } from "#kit/db/sort.ts";
import { isPaused } from "#panel/vacation.ts";
import { attorneyFoundBy, foundAttorneys } from "#kit/list/attorney-and-firm-choices.ts";
import { Candidate, type listCandidates as listing } from "#referrals/matters/contract.ts";

/**
 * Attorneys who may receive a referral: best match of the name first, then no referral yet, then longest wait.
 * One page, with the total. Source: domain rules, second stage.
 */
export async function listCandidates(
  tx: Db,
  admin: Admin,
  { search, page, per_page }: z.output<typeof listing.query>,
  today: PlainDate,
): Promise<Page<Candidate>> {
  const candidates = {
    columns: sql`a.id, a.first_name, a.last_name, a.email, a.address_city, (
      select max(r.referred_at) from matter_referrals r
      where r.network_id = a.network_id and r.attorney_id = a.id) as last_at`,
    from: sql`attorneys a where a.network_id = ${admin.networkId}
      and a.left_on is null and a.suspended_at is null and not ${isPaused(today)}`,
    ...foundAttorneys(admin.networkId, search),
  };
  const candidate = shapeJson(Candidate, {
    id: sql`id`,
    name: sql`first_name || ' ' || last_name`,
    email: sql`email`,
    city: sql`address_city`,
    foundBy: sql`case when not is_by_name then ${attorneyFoundBy(admin, search)} end`,
    openReferrals: sql`(
      select count(*) from matters m
      where m.network_id = ${admin.networkId} and m.attorney_id = best.id and m.status = 'open')`,
    lastReferredOn: sql`(last_at at time zone ${admin.timeZone})::date`,
  });
  const { rows } = await sql<{ items: Candidate[]; total: number }>`
    with ${ranked([candidates], search)}, best as (
      select *, row_number() over (order by ${order}) as at from found
      order by ${order} limit ${per_page} offset ${(page - 1) * per_page}
    )
    select (select count(*) from found) as total,
      ${listJson(candidate, { from: sql`best`, order: sql`at` })} as items`.execute(tx);
  const { items, total } = rows[0] ?? { items: [], total: 0 };
  return { items, total, page, perPage: per_page };
}

const order = sql`rank, last_at nulls first, ${byPerson()}`;
