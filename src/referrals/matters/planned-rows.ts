import { sql } from "kysely";
import type { ChangeAuthor } from "#kit/domain/actor.ts";
import type { PlainDate } from "#kit/domain/calendar.ts";
import type { PlannedRow } from "#kit/imports/import-definition.ts";
import { isAscii } from "#kit/imports/staged-rows.ts";
import type { Db } from "#kit/db/database.ts";
import { mayEdit } from "#referrals/matters/imported-rows.ts";
import { suspensionDecisions } from "#referrals/suspension/rule.ts";
import type { Reviewed } from "#referrals/suspension/suspension.ts";

/* The preview of an import of referrals, from the classified rows of imported-rows.ts. */

/** The first rows as they will be stored. Rows with accents come first, so that people check them. */
export async function firstRows(
  tx: Db,
  author: ChangeAuthor,
  atMost: number,
): Promise<PlannedRow[]> {
  const staysAsItIs = mayEdit(author) ? sql`false` : sql`m.id is not null`;
  const { rows } = await sql<PlannedRow>`
    select r.line, r.becomes, jsonb_strip_nulls(jsonb_build_object(
      'name', case when ${staysAsItIs} then m.first_name || ' ' || m.last_name
        else r.first_name || ' ' || r.last_name end,
      'phone', coalesce(case when not (${staysAsItIs}) then nullif(r.phone, '') end, nullif(m.phone, '')),
      'email', coalesce(case when not (${staysAsItIs}) then nullif(r.email, '') end, nullif(m.email, '')),
      'submitted', to_char(coalesce(m.submitted_at at time zone n.time_zone, r.submitted_day), 'MM/DD/YYYY'),
      'attorney', a.first_name || ' ' || a.last_name, 'status', initcap(r.will_be),
      'report_due', to_char(r.will_be_due, 'MM/DD/YYYY')
    )) as values
    from imported_matters r
    join networks n on n.id = ${author.networkId}
    left join matters m on m.network_id = n.id and m.id = r.matter_id
    left join attorneys a on a.network_id = n.id and a.id = r.will_have
    order by ${isAscii("r")}, r.line limit ${atMost}`.execute(tx);
  return rows;
}

/** How many attorneys the review after the import would suspend, and how many suspensions it would lift. */
export async function previewReviewAfterImport(
  tx: Db,
  networkId: number,
  today: PlainDate,
): Promise<Reviewed> {
  const matters = sql`(
    select m.network_id, m.attorney_id, m.status, m.report_due_on from matters m
    where m.network_id = ${networkId} and not exists (select from imported_matters r where r.matter_id = m.id)
    union all
    select ${networkId}::bigint, r.will_have, r.will_be, r.will_be_due from imported_matters r)`;
  const { rows } = await sql<Reviewed>`
    select count(*) filter (where must_suspend) as suspended, count(*) filter (where not must_suspend) as lifted
    from ${suspensionDecisions({ networkId, today, matters })} as standing
    join attorneys a on a.network_id = standing.network_id and a.id = standing.id
    where must_suspend <> (a.suspended_at is not null)
      and exists (select from imported_matters r where r.will_have = a.id)`.execute(tx);
  return rows[0] ?? { suspended: 0, lifted: 0 };
}
