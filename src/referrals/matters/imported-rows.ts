import { type RawBuilder, sql } from "kysely";
import type { ChangeAuthor } from "#kit/domain/actor.ts";
import type { Db } from "#kit/db/database.ts";
import { Refusal, refuseViolations } from "#kit/contract/refusal.ts";
import type { ImportedMatter } from "#referrals/matters/imported-matter.ts";

/*
 * The rows of a file of referrals, in a temporary table of this transaction (rules/staging-tables.sql). One statement
 * decides for all rows which referrals they add or change.
 */

export const stagingTable = { table: "imported_matters", knownAs: "matter_id" } as const;

export async function insertRows(
  tx: Db,
  rows: { line: number; details: ImportedMatter }[],
): Promise<void> {
  const json = JSON.stringify(
    rows.map(({ line, details }) => ({
      line,
      ...details,
      referral_id: details.referral_id || null,
    })),
  );
  await sql`insert into imported_matters
    select * from jsonb_populate_recordset(null::imported_matters, ${json}::jsonb)`.execute(tx);
}

/** The known referral (`m`) that a row (`r`) matches, if any. */
export const withKnown = (networkId: number) => sql`
    left join matters m on m.network_id = ${networkId} and m.id = r.matter_id
    left join (
      select matter_id, max(filed_on) as filed_on from matter_reports
      where network_id = ${networkId} group by matter_id
    ) as filed on filed.matter_id = m.id`;

/** The date of the last report filed on it. */
export const lastFiled = sql`coalesce(filed.filed_on, '-infinity')`;

export async function removeRows(tx: Db, lines: number[]): Promise<void> {
  await sql`delete from imported_matters where line = any(${lines}::integer[])`.execute(tx);
}

/** When a day begins in the network's time zone (`n`). */
const onDay = (day: RawBuilder<unknown>) => sql`(${day}::timestamp at time zone n.time_zone)`;

/** Columns with the client's details, and their names in the audit trail. */
const detailNames = {
  first_name: "firstName",
  last_name: "lastName",
  phone: "phone",
  email: "email",
  address_line_1: "addressLine1",
  address_line_2: "addressLine2",
  address_city: "addressCity",
  address_region: "addressRegion",
  address_zip: "addressZip",
  contact_preference: "contactPreference",
  followup_consent: "followupConsent",
  note: "note",
};

/** Columns that a file fills, and their names in the audit trail. */
const names = {
  ...detailNames,
  attorney_id: "attorneyId",
  referred_at: "referredAt",
  closed_at: "closedAt",
  report_due_on: "reportDueOn",
  status: "status",
};

const columns = sql.raw(Object.keys(names).join(", "));

const detailsOfFile = sql`r.first_name, r.last_name, ${filled("phone")}, ${filled("email")},
        ${filled("address_line_1")}, ${filled("address_line_2")}, ${filled("address_city")},
        ${filled("address_region")}, ${filled("address_zip")},
        case when r.note in ('', regexp_replace(m.note, E'\\r\\n?', E'\\n', 'g')) then m.note else r.note end as note,
        coalesce(r.contact_preference, m.contact_preference) as contact_preference,
        coalesce(r.followup_consent, m.followup_consent) as followup_consent`;

const presentDetails = sql`m.first_name, m.last_name, m.phone, m.email, m.address_line_1, m.address_line_2,
        m.address_city, m.address_region, m.address_zip, m.note, m.contact_preference, m.followup_consent`;

/** Where the network does not permit editing of referrals (§2, §6), only the operator's file edits details. */
export const mayEdit = (author: ChangeAuthor): boolean =>
  !("permitsMatterEditing" in author) || author.permitsMatterEditing === true;

/** How many rows have other details than a known referral, which this file may not edit. */
export async function countKeptDetails(tx: Db, author: ChangeAuthor): Promise<number> {
  if (mayEdit(author)) return 0;
  const { rows } = await sql<{ count: number }>`
    select count(*) from imported_matters r
    join matters m on m.network_id = ${author.networkId} and m.id = r.matter_id
    cross join lateral (select ${detailsOfFile}) as said
    where (${columnsOf("said", detailNames)}) is distinct from (${columnsOf("m", detailNames)})`.execute(
    tx,
  );
  return rows[0]?.count ?? 0;
}

/** Each known referral after the import: the file's values, or the present ones where a cell is empty. */
const mergedMatters = (author: ChangeAuthor) => sql`
    said as (
      select m.id, ${mayEdit(author) ? detailsOfFile : presentDetails},
        case when m.status = 'new' then r.attorney_id else m.attorney_id end as attorney_id,
        case when m.status <> 'new' then m.referred_at
          when r.attorney_id is not null then ${onDay(sql`r.referred_day`)} end as referred_at,
        coalesce(m.closed_at, ${onDay(sql`r.closed_on`)}) as closed_at,
        greatest(m.report_due_on, coalesce(case when r.last_report_on > ${lastFiled} then r.last_report_on end,
          case when m.status = 'new' then r.referred_day end) + n.overdue_period_in_days) as due_on
      from imported_matters r ${withKnown(author.networkId)}
      join networks n on n.id = m.network_id
    ), standing as (
      select *, case when closed_at is null and attorney_id is not null then due_on end as report_due_on,
        case when closed_at is not null then 'closed' when attorney_id is not null then 'open' else 'new' end as status
      from said
    )`;

/** Record for each row whether it adds, changes or leaves a referral, and the new values. */
export async function classifyRows(tx: Db, author: ChangeAuthor): Promise<void> {
  const { networkId } = author;
  await sql`
    with ${mergedMatters(author)}
    update imported_matters r
    set becomes = case when (${columnsOf("m")}) is distinct from (${columnsOf("standing")}) then 'changed' else 'unchanged' end,
      will_be = standing.status, will_have = standing.attorney_id, will_be_due = standing.report_due_on
    from standing join matters m on m.network_id = ${networkId} and m.id = standing.id
    where r.matter_id = standing.id`.execute(tx);
  await sql`
    update imported_matters r
    set becomes = 'added', will_have = attorney_id, will_be = ${statusOfNew}, will_be_due = ${dueOfNew}
    from networks n where n.id = ${networkId} and r.matter_id is null`.execute(tx);
}

/**
 * Update known referrals that differ from their row. Empty cells change nothing; a status only moves forward.
 * Returns how many changed, each with its audit entry.
 */
export async function updateKnownMatters(tx: Db, author: ChangeAuthor): Promise<number> {
  const { numAffectedRows } = await refuseViolations(
    { referrals_of_departed: attorneyLeftConcurrently },
    sql`
    with ${mergedMatters(author)}, changed as (
      update matters m set (${columns}) = (select ${columnsOf("standing")})
      from standing join matters before on before.network_id = ${author.networkId} and before.id = standing.id
      where m.network_id = ${author.networkId} and m.id = standing.id
        and (${columnsOf("m")}) is distinct from (${columnsOf("standing")})
      returning m.id, ${auditJson("before")} as before, ${auditJson("m")} as after
    )
    insert into audit_entries
      (network_id, actor_user_id, actor_name, action, record_type, record_id, before, after)
    select ${author.networkId}, ${author.userId}, ${author.name}, 'changed details', 'matter', id, before, after
    from changed`.execute(tx),
  );
  return Number(numAffectedRows);
}

/** Record the new referrals, in the file's order. Returns how many, each with its audit entry. */
export async function addNewMatters(tx: Db, author: ChangeAuthor): Promise<number> {
  const { numAffectedRows } = await refuseViolations(
    { matters_reference: recordedConcurrently, referrals_of_departed: attorneyLeftConcurrently },
    sql`
    with added as (
      insert into matters (network_id, reference, submitted_at, ${columns})
      select n.id, r.reference, ${onDay(sql`r.submitted_day`)}, r.first_name, r.last_name, r.phone, r.email,
        r.address_line_1, r.address_line_2, r.address_city, r.address_region, r.address_zip,
        coalesce(r.contact_preference, 'either'), coalesce(r.followup_consent, false), r.note, r.attorney_id,
        case when r.attorney_id is not null then ${onDay(sql`r.referred_day`)} end,
        ${onDay(sql`r.closed_on`)},
        ${dueOfNew}, ${statusOfNew}
      from imported_matters r cross join networks n
      where n.id = ${author.networkId} and r.matter_id is null
      order by r.line
      returning *
    )
    insert into audit_entries
      (network_id, actor_user_id, actor_name, action, record_type, record_id, after)
    select network_id, ${author.userId}, ${author.name}, 'recorded', 'matter', id, ${auditJson("added")}
    from added order by id`.execute(tx),
  );
  return Number(numAffectedRows);
}

const statusOfNew = sql`case when r.closed_on is not null then 'closed'
  when r.attorney_id is not null then 'open' else 'new' end`;

/** When the first report on a new referral is due (`n`: its network). */
const dueOfNew = sql`case when r.attorney_id is not null and r.closed_on is null
  then coalesce(r.last_report_on, r.referred_day) + n.overdue_period_in_days end`;

const recordedConcurrently = () =>
  new Refusal(
    409,
    "Nothing was imported: referrals were recorded while the file was read. Try again.",
  );

const attorneyLeftConcurrently = () =>
  new Refusal(
    409,
    "Nothing was imported: an attorney in the file left the panel while it was read. Check the preview again.",
  );

/** A row's text, or the present value if it is empty. */
function filled(column: string): RawBuilder<unknown> {
  return sql.raw(`coalesce(nullif(r.${column}, ''), m.${column}) as ${column}`);
}

function columnsOf(alias: string, of: object = names): RawBuilder<unknown> {
  const columnNames = Object.keys(of).map((column) => `${alias}.${column}`);
  return sql.raw(columnNames.join(", "));
}

/** The referral as the audit trail stores it. */
function auditJson(alias: string): RawBuilder<unknown> {
  const pairs = Object.entries(names).map(([column, name]) => `'${name}', ${alias}.${column}`);
  return sql.raw(`jsonb_build_object(${pairs.join(", ")})`);
}
