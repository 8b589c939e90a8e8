import { type RawBuilder, sql } from "kysely";
import type { ChangeAuthor } from "#kit/domain/actor.ts";
import type { PlannedRow } from "#kit/imports/import-definition.ts";
import { isAscii } from "#kit/imports/staged-rows.ts";
import type { Db } from "#kit/db/database.ts";
import { analyzeReferred } from "#kit/db/planner-settings.ts";
import { Refusal, refuseViolations } from "#kit/contract/refusal.ts";
import { isInUse } from "#access/sign-in/accounts.ts";
import { confirmDays, type WantedEmail } from "#access/sign-in/email-changes.ts";
import type { AttorneyDetails, ImportedAttorney } from "#people/contract.ts";

/*
 * The rows of an attorney file, in a temporary table of this transaction (rules/staging-tables.sql), so that one
 * statement decides for all rows which attorneys they add or change.
 */

export const stagingTable = { table: "imported_rows", knownAs: "attorney_id" } as const;

export async function insertRows(
  tx: Db,
  rows: { line: number; details: ImportedAttorney }[],
): Promise<void> {
  const texts = (field: keyof ImportedAttorney) =>
    sql`${rows.map(({ details }) => details[field])}::text[]`;
  await sql`
    insert into imported_rows (line, first_name, last_name, email, phone, bar_number,
      address_line_1, address_line_2, address_city, address_region, address_zip, firm)
    select * from unnest(${rows.map(({ line }) => line)}::integer[],
      ${texts("first_name")}, ${texts("last_name")}, ${texts("email")}, ${texts("phone")},
      ${texts("bar_number")}, ${texts("address_line_1")}, ${texts("address_line_2")},
      ${texts("address_city")}, ${texts("address_region")}, ${texts("address_zip")}, ${texts("firm")})`.execute(
    tx,
  );
}

/**
 * Move a new address for an account in use to `asked_email`: it must be confirmed first. The same address is requested
 * only once in thirty days, so that a nightly file neither restarts the days nor repeats a request that was undone.
 */
export async function moveNewEmailsToPending(tx: Db, networkId: number): Promise<void> {
  await sql`
    update imported_rows r set email = '', asked_email = case when not exists (
        select from email_changes c
        where c.network_id = u.network_id and c.user_id = u.id and c.new_email = r.email
          and c.asked_at > now() - make_interval(days => ${confirmDays})
      ) then r.email end
    from users u
    where u.network_id = ${networkId} and u.attorney_id = r.attorney_id and ${isInUse}
      and r.email <> '' and r.email <> u.email`.execute(tx);
}

/** Match firms by folded name; of several, the one with the exact spelling, else the first. */
export async function matchFirms(tx: Db, networkId: number): Promise<void> {
  await sql`
    update imported_rows r set firm_id = (
      select f.id from firms f
      where f.network_id = ${networkId} and folded(f.name) = folded(r.firm) order by (f.name = r.firm) desc, f.twin limit 1
    ) where r.firm <> ''`.execute(tx);
}

const isOfNewFirm = (row: string) => sql.raw(`(${row}.firm <> '' and ${row}.firm_id is null)`);

/** How many new firms the rows name. */
export async function countNewFirms(tx: Db): Promise<number> {
  const { rows } = await sql<{ firms: number }>`
    select count(distinct folded(firm)) as firms from imported_rows r where ${isOfNewFirm("r")}`.execute(
    tx,
  );
  return rows[0]?.firms ?? 0;
}

/** Add the new firms, in the file's first spelling of each. Answers how many. */
export async function addNewFirms(tx: Db, author: ChangeAuthor): Promise<number> {
  const { rows } = await sql<{ added: number }>`
    with added as (
      insert into firms (network_id, name)
      select ${author.networkId}::bigint, firm from (
        select distinct on (folded(firm)) firm, line from imported_rows r
        where ${isOfNewFirm("r")} order by folded(firm), line
      ) as named order by line
      on conflict (network_id, folded(name), twin) do nothing
      returning id, name
    ), audited as (
      insert into audit_entries
        (network_id, actor_user_id, actor_name, action, record_type, record_id, after)
      select ${author.networkId}, ${author.userId}, ${author.name}, 'added', 'firm', id,
        jsonb_build_object('name', name)
      from added order by id
    )
    select count(*) as added from added`.execute(tx);
  const added = rows[0]?.added ?? 0;
  await analyzeReferred(tx, added, "firms");
  await matchFirms(tx, author.networkId);
  return added;
}

export async function removeRows(tx: Db, lines: number[]): Promise<void> {
  await sql`delete from imported_rows where line = any(${lines}::integer[])`.execute(tx);
}

/** Record whether each row adds an attorney, changes one, or leaves one unchanged. */
export async function classifyRows(tx: Db, networkId: number): Promise<void> {
  await sql`
    update imported_rows set becomes = case
      when a.id is null then 'added'
      when ${isOfNewFirm("r")} or r.asked_email is not null
        or (${mergedWith("r", "a")}) is distinct from (${columnsOf("a")}) then 'changed'
      else 'unchanged' end
    from imported_rows r left join attorneys a on a.network_id = ${networkId} and a.id = r.attorney_id
    where r.line = imported_rows.line`.execute(tx);
}

/** The first rows as they will be stored. Rows with accents come first, so that their encoding can be checked. */
export async function firstRows(tx: Db, networkId: number, atMost: number): Promise<PlannedRow[]> {
  const { rows } = await sql<PlannedRow>`
    select m.line, m.becomes, jsonb_strip_nulls(jsonb_build_object(
      'name', m.first_name || ' ' || m.last_name, 'email', m.email, 'new_email', m.asked_email,
      'phone', nullif(m.phone, ''), 'bar_number', nullif(m.bar_number, ''),
      'firm', coalesce(m.new_firm, (select f.name from firms f
        where f.network_id = ${networkId} and f.id = m.firm_id)),
      'address', nullif(concat_ws(', ', nullif(m.address_line_1, ''), nullif(m.address_line_2, ''),
        nullif(m.address_city, ''),
        nullif(concat_ws(' ', nullif(m.address_region, ''), nullif(m.address_zip, '')), '')), '')
    )) as values
    from (
      select r.line, r.becomes, r.asked_email, case when ${isOfNewFirm("r")} then r.firm end as new_firm, coalesced.*
      from imported_rows r left join attorneys a on a.network_id = ${networkId} and a.id = r.attorney_id
      cross join lateral (select ${mergedWith("r", "a")}) as coalesced (${columns})
      order by ${isAscii("r")}, r.line limit ${atMost}
    ) as m`.execute(tx);
  return rows;
}

/** Whether rows have a new address for any account, and for any account in use. */
export async function accountsWithNewEmails(
  tx: Db,
  networkId: number,
): Promise<{ some: boolean; someInUse: boolean }> {
  const { rows } = await sql<{ some: boolean; someInUse: boolean }>`
    select count(*) > 0 as some, count(r.asked_email) > 0 as some_in_use
    from imported_rows r
    join users u on u.network_id = ${networkId} and u.attorney_id = r.attorney_id
    where r.asked_email is not null or (r.email <> '' and r.email <> u.email)`.execute(tx);
  return rows[0] ?? { some: false, someInUse: false };
}

/** How many new addresses the rows request. */
export async function countAskedEmails(tx: Db): Promise<number> {
  const { rows } = await sql<{ asked: number }>`
    select count(asked_email) as asked from imported_rows`.execute(tx);
  return rows[0]?.asked ?? 0;
}

/**
 * Lock, in id order, the attorneys that rows change and the accounts whose address they change, so that none of these
 * accounts is invited or first used until the transaction ends.
 */
export async function lockKnown(tx: Db, networkId: number): Promise<void> {
  await sql`
    select from attorneys a join imported_rows r on r.attorney_id = a.id
    where a.network_id = ${networkId}
      and (r.asked_email is not null or (${mergedWith("r", "a")}) is distinct from (${columnsOf("a")}))
    order by a.id for no key update of a`.execute(tx);
  await sql`
    select from users u join imported_rows r on r.attorney_id = u.attorney_id
    where u.network_id = ${networkId} and r.email <> '' and r.email <> u.email
    order by u.attorney_id for no key update of u`.execute(tx);
}

/** The new addresses that the rows request. */
export async function askedEmails(tx: Db, networkId: number): Promise<WantedEmail[]> {
  const { rows } = await sql<WantedEmail>`
    select u.id as user_id, r.asked_email as new_email
    from imported_rows r
    join users u on u.network_id = ${networkId} and u.attorney_id = r.attorney_id
    where r.asked_email is not null and r.asked_email <> u.email
    order by r.attorney_id`.execute(tx);
  return rows;
}

/**
 * Update the locked attorneys whose row differs, and the name and email of their accounts, each with an audit entry.
 * Answers how many changed or have a new address to confirm.
 */
export async function updateKnown(tx: Db, author: ChangeAuthor): Promise<number> {
  const { rows } = await refuseViolations(
    clashes,
    sql<{ changed: number }>`
    with changed as (
      update attorneys as a
      set (${columns}) = (select ${mergedWith("r", "a")})
      from imported_rows as r
      join attorneys as before on before.network_id = ${author.networkId} and before.id = r.attorney_id
      where a.network_id = ${author.networkId} and a.id = r.attorney_id
        and (${mergedWith("r", "a")}) is distinct from (${columnsOf("a")})
      returning a.id, a.first_name, a.last_name, a.email,
        ${auditJson("before", author)} as before, ${auditJson("a", author)} as after
    ), followed as (
      update users set name = changed.first_name || ' ' || changed.last_name, email = changed.email
      from changed where users.network_id = ${author.networkId} and users.attorney_id = changed.id
    ), audited as (
      insert into audit_entries
        (network_id, actor_user_id, actor_name, action, record_type, record_id, before, after)
      select ${author.networkId}, ${author.userId}, ${author.name}, 'changed details', 'attorney', id, before, after
      from changed
    )
    select count(*) as changed from (
      select id from changed
      union
      select attorney_id from imported_rows where asked_email is not null
    ) as either`.execute(tx),
  );
  return rows[0]?.changed ?? 0;
}

/** Add the other rows to the panel, in the file's order, each with an audit entry. Answers how many. */
export async function addNewAttorneys(tx: Db, author: ChangeAuthor): Promise<number> {
  const { numAffectedRows } = await refuseViolations(
    clashes,
    sql`
    with added as (
      insert into attorneys (network_id, ${columns})
      select ${author.networkId}::bigint, ${columnsOf("r")} from imported_rows as r
      where attorney_id is null order by line
      returning *
    )
    insert into audit_entries
      (network_id, actor_user_id, actor_name, action, record_type, record_id, after)
    select network_id, ${author.userId}, ${author.name}, 'added', 'attorney', id, ${auditJson("added", author)}
    from added order by id`.execute(tx),
  );
  return Number(numAffectedRows);
}

const panelChanged = () =>
  new Refusal(
    409,
    "The panel changed while the file was being read, so nothing was imported. Try again.",
  );

const clashes = {
  attorneys_email: panelChanged,
  attorneys_bar_number: panelChanged,
  users_email_key: panelChanged,
};

const names = {
  first_name: "firstName",
  last_name: "lastName",
  email: "email",
  phone: "phone",
  bar_number: "barNumber",
  address_line_1: "addressLine1",
  address_line_2: "addressLine2",
  address_city: "addressCity",
  address_region: "addressRegion",
  address_zip: "addressZip",
} satisfies Record<keyof AttorneyDetails, string>;

const columnNames = Object.keys(names);

const columns = sql.raw([...columnNames, "firm_id"].join(", "));

function columnsOf(alias: string): RawBuilder<unknown> {
  return sql.raw([...columnNames, "firm_id"].map((name) => `${alias}.${name}`).join(", "));
}

/** A row's values; for an empty cell, the attorney's current value. */
function mergedWith(row: string, current: string): RawBuilder<unknown> {
  const merged = columnNames.map(
    (name) => `coalesce(nullif(${row}.${name}, ''), ${current}.${name})`,
  );
  const firm = `coalesce(${row}.firm_id, ${current}.firm_id)`;
  return sql.raw([...merged, firm].join(", "));
}

/** The details for an audit entry. */
function auditJson(alias: string, { networkId }: ChangeAuthor): RawBuilder<unknown> {
  const pairs = Object.entries(names).map(([column, name]) => `'${name}', ${alias}.${column}`);
  return sql`jsonb_build_object(${sql.raw(pairs.join(", "))}, 'firm', (
    select f.name from firms f where f.network_id = ${networkId} and f.id = ${sql.ref(alias)}.firm_id))`;
}
