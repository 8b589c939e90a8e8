import { sql } from "kysely";
import type { PlainDate } from "#kit/domain/calendar.ts";
import type { Counting } from "#kit/imports/csv-file.ts";
import type { Purpose } from "#kit/imports/import-definition.ts";
import type { RowProblem } from "#kit/imports/csv-table.ts";
import { sameButForZeros } from "#kit/imports/staged-rows.ts";
import type { Db } from "#kit/db/database.ts";
import { analyzeStagingTable } from "#kit/db/staging-tables.ts";
import { lastFiled, stagingTable, withKnown } from "#referrals/matters/imported-rows.ts";

/* Matches the rows of imported-rows.ts with attorneys and known referrals, and finds invalid ones. */

/** Find each row's attorney and referral, and the invalid rows. */
export async function findInvalidRows(
  tx: Db,
  networkId: number,
  { today, countsBy, to }: { today: PlainDate; countsBy: Counting; to: Purpose },
): Promise<RowProblem[]> {
  await findAttorneys(tx, networkId, today);
  await findKnownMatters(tx, networkId);
  if (to === "import") await lockKnownMatters(tx, networkId);
  const { rows } = await sql<RowProblem>`
    select r.line, 'attorney' as field,
      'Nobody on the panel has the email address or bar number "' || r.attorney || '"' || coalesce('; '
        || zeros.first_name || ' ' || zeros.last_name || ' has ' || zeros.bar_number, '') || '.' as message
    from imported_matters r
    left join attorneys zeros on zeros.network_id = ${networkId} and zeros.bar_number <> ''
      and ${sameButForZeros("zeros.bar_number", "r.attorney")}
    where r.attorney <> '' and r.attorney_id is null
    union all
    select r.line, 'attorney', 'Attorney must be given if there is a referral, report or closing date.'
    from imported_matters r ${withKnown(networkId)}
    where r.attorney = '' and (m.id is null or m.status = 'new')
      and (r.referred_on is not null or r.closed_on is not null or r.last_report_on > ${lastFiled})
    union all
    select line, null, 'These referrals have this client''s name and date: ' || alike
      || '. Enter the reference of the right one, or change it on its page.'
    from imported_matters where alike is not null and matter_id is null
    union all
    select r.line, 'reference', 'A referral has the reference ' || m.reference
      || ', which differs only in leading zeros. Enter it the same way.'
    from imported_matters r
    join matters m on m.network_id = ${networkId} and m.reference <> ''
      and ${sameButForZeros("m.reference", "r.reference")}
    where r.reference <> '' and r.matter_id is null
    union all
    select line, case
        when submitted_on > ${today.toString()}::date then 'submitted_on'
        when referred_on > ${today.toString()}::date then 'referred_on'
        when last_report_on > ${today.toString()}::date then 'last_report_on'
        else 'closed_on' end,
      'Dates must not be after today.' from imported_matters
    where greatest(submitted_on, referred_on, last_report_on, closed_on) > ${today.toString()}::date
    union all
    -- Recorded facts are not checked: a referral may have been reassigned since its last report.
    select r.line, null, 'Dates must be in this order: submitted, referred, last report, closed.'
    from imported_matters r ${withKnown(networkId)}
    where (r.referred_day < r.submitted_day or coalesce(r.last_report_on, r.closed_on) < r.referred_day
        or r.closed_on < r.last_report_on)
      and (m.id is null or (m.status = 'new' and r.referred_on is not null)
        or (m.closed_at is null and r.closed_on is not null) or r.last_report_on > ${lastFiled})
    union all
    select r.line, 'attorney', 'This referral already went to another attorney, ' || a.first_name || ' ' || a.last_name || '.'
    from imported_matters r
    join matters m on m.network_id = ${networkId} and m.id = r.matter_id
    join attorneys a on a.network_id = m.network_id and a.id = m.attorney_id
    where r.attorney_id <> m.attorney_id
    union all
    -- The attorney no longer has it, and the file's list may not know.
    select r.line, 'attorney', 'This referral was ' || last.ended || ' from ' || a.first_name || ' ' || a.last_name
      || ' on ' || to_char(last.ended_on, 'MM/DD/YYYY') || '. Enter a later referral date to refer it again.'
    from imported_matters r
    join matters m on m.network_id = ${networkId} and m.id = r.matter_id and m.status = 'new'
    join attorneys a on a.network_id = m.network_id and a.id = r.attorney_id
    join networks n on n.id = m.network_id
    cross join lateral (
      select h.ended, (h.ended_at at time zone n.time_zone)::date as ended_on from matter_referrals h
      where h.network_id = m.network_id and h.matter_id = m.id and h.attorney_id = a.id
      order by h.id desc limit 1
    ) as last
    where r.referred_on is null or r.referred_on <= last.ended_on
    union all
    select r.line, 'attorney', a.first_name || ' ' || a.last_name || ' has left the panel and receives no new referrals.'
    from imported_matters r
    join attorneys a on a.network_id = ${networkId} and a.id = r.attorney_id and a.left_on is not null
    left join matters m on m.network_id = a.network_id and m.id = r.matter_id
    where m.attorney_id is null and r.closed_on is null
    union all
    select line, null, 'This is the same referral as on ' || ${countsBy}::text || ' ' || first_line || '.' from (
      select line, min(line) over (partition by matter_id) as first_line
      from imported_matters where matter_id is not null
    ) as known where line > first_line
    order by line`.execute(tx);
  return rows;
}

async function findAttorneys(tx: Db, networkId: number, today: PlainDate): Promise<void> {
  await analyzeStagingTable(tx, stagingTable.table);
  await sql`
    update imported_matters r
    set submitted_day = coalesce(submitted_on, least(referred_on, last_report_on, closed_on, ${today.toString()}::date)),
      referred_day = coalesce(referred_on, submitted_on, least(last_report_on, closed_on, ${today.toString()}::date))`.execute(
    tx,
  );
  // Email last, so that it wins over a bar number that happens to equal it.
  for (const isTheirs of [
    sql`a.bar_number = r.attorney and a.bar_number <> ''`,
    sql`a.email = lower(r.attorney)`,
  ])
    await sql`
      update imported_matters r set attorney_id = a.id from attorneys a
      where a.network_id = ${networkId} and r.attorney <> '' and ${isTheirs}`.execute(tx);
}

async function findKnownMatters(tx: Db, networkId: number): Promise<void> {
  await sql`
    update imported_matters r set matter_id = m.id from matters m
    where m.network_id = ${networkId} and m.reference = r.reference and m.reference <> ''`.execute(
    tx,
  );
  // If several referrals share the name and date, the referral number in an exported file decides. They are gathered once
  // per name and date: as many rows may have it as there are referrals.
  await sql`
    with named as (
      select distinct ${clientName("r")} as name, r.submitted_on as day from imported_matters r
      where r.reference = '' and r.submitted_on is not null
    ), known as materialized (
      select named.name, named.day, m.id, m.status, m.attorney_id
      from named
      join networks n on n.id = ${networkId}
      join matters m on m.network_id = n.id and ${submittedDay} = named.day and ${clientName("m")} = named.name
    ), gathered as (
      select known.name, known.day, count(*) as many, min(known.id) as id,
        array_to_string((array_agg('number ' || known.id || ' (' || concat_ws(', ', known.status,
          'with ' || a.first_name || ' ' || a.last_name) || ')' order by known.id))[1:5], ' and ') as alike
      from known
      left join attorneys a on a.network_id = ${networkId} and a.id = known.attorney_id
      group by known.name, known.day
    )
    update imported_matters r set matter_id = found.id, alike = found.alike
    from (
      select r.line, case when g.many = 1 then g.id else own.id end as id, case when g.many > 1 then g.alike end as alike
      from imported_matters r
      join gathered g on g.day = r.submitted_on and g.name = ${clientName("r")}
      left join known own on own.id = r.referral_id and own.day = g.day and own.name = g.name
      where r.reference = ''
    ) as found
    where r.line = found.line`.execute(tx);
  // Part of the name was corrected since.
  await sql`
    update imported_matters r set matter_id = m.id
    from matters m join networks n on n.id = m.network_id
    where m.network_id = ${networkId} and m.id = r.referral_id and ${submittedDay} = r.submitted_on
      and r.reference = '' and r.matter_id is null and r.alike is null
      and (folded(m.first_name) = folded(r.first_name) or folded(m.last_name) = folded(r.last_name))`.execute(
    tx,
  );
}

/** The day on which a referral (`m`, of network `n`) was submitted. */
const submittedDay = sql`(m.submitted_at at time zone n.time_zone)::date`;

const clientName = (alias: string) =>
  sql`folded(${sql.ref(`${alias}.first_name`)} || ' ' || ${sql.ref(`${alias}.last_name`)})`;

/**
 * Locks before anything is compared: a concurrent report, withdrawal or edit either waits or is seen by later
 * statements. An update without the lock would write back old values.
 */
async function lockKnownMatters(tx: Db, networkId: number): Promise<void> {
  await sql`
    select from matters m join imported_matters r on r.matter_id = m.id
    where m.network_id = ${networkId} order by m.id for update of m`.execute(tx);
}
