import { type RawBuilder, sql, type SqlBool } from "kysely";
import type { z } from "zod";
import type { Admin } from "#kit/domain/actor.ts";
import type { Db } from "#kit/db/database.ts";
import { foundBy, nameIn, ranked } from "#kit/db/name-rank.ts";
import { byPerson } from "#kit/db/sort.ts";
import { matchesSearch } from "#kit/db/text-search.ts";
import { type Choice, type listChoices, maxChoices } from "#kit/list/choices-contract.ts";

type Wanted = z.output<typeof listChoices.query>;

/**
 * The attorneys or firms that the administrator can choose from, best name match first. With nothing typed: firms,
 * then attorneys on the panel, then attorneys who have left, each by name.
 */
export async function offerChoices(tx: Db, admin: Admin, wanted: Wanted): Promise<Choice[]> {
  const kinds = {
    attorneys: [attorneys(admin, wanted)],
    firms: [firms(admin, wanted)],
    payers: [firms(admin, wanted), attorneys(admin, wanted)],
  }[wanted.of];
  const { rows } = await sql<Choice>`
    with ${ranked(kinds, wanted.search)}, best as (
      select * from found order by ${order} limit ${maxChoices}
    )
    select kind, id, name, email, left_on,
      case when is_by_name then null
        when kind = 'firm' then ${firmFoundBy(admin, wanted.search)}
        else ${attorneyFoundBy(admin, wanted.search)} end as found_by,
      case when kind = 'firm' then (select count(*) from attorneys a
        where a.network_id = ${admin.networkId} and a.firm_id = best.id) end as lawyers
    from best order by ${order}`.execute(tx);
  return rows;
}

const order = sql`rank, kind desc, left_on nulls first, ${byPerson()}`;

function attorneys({ networkId }: Admin, { of, search, id }: Wanted) {
  return {
    columns: sql`'attorney' as kind, a.id, a.first_name || ' ' || a.last_name as name, a.last_name, a.first_name,
      a.email, a.left_on`,
    from: sql`attorneys a where a.network_id = ${networkId}
      ${id === undefined ? sql`` : sql`and a.id = ${id}`}
      ${of === "payers" || id !== undefined ? sql`` : sql`and a.left_on is null`}`,
    ...foundAttorneys(networkId, search),
  };
}

/** The SQL by which a search finds attorneys (alias `a`): in any of their texts, or by their firm's name. */
export function foundAttorneys(networkId: number, search: string) {
  const searchText = sql<string>`a.search_text`;
  // By ids: each of the two searches uses its own index, and attorneys are not compared with every firm.
  const isFound = sql<SqlBool>`a.id in (
    select o.id from attorneys o where o.network_id = ${networkId} and ${matchesSearch(sql`o.search_text`, search)}
    union all
    select o.id from attorneys o join firms f on f.network_id = o.network_id and f.id = o.firm_id
    where o.network_id = ${networkId} and ${matchesSearch(sql`f.search_text`, search)}
      and ${matchesSearch(nameIn(sql`f.search_text`), search)})`;
  return { searchText, isFound };
}

/** What a search matched for an attorney, for a row with an `id`. */
export function attorneyFoundBy({ networkId }: Admin, search: string): RawBuilder<string | null> {
  const texts = {
    email: sql`a.email`,
    phone: sql`a.phone`,
    "bar number": sql`a.bar_number`,
    firm: sql`f.name`,
  };
  return sql`(select ${foundBy(texts, search)} from attorneys a
    left join firms f on f.network_id = a.network_id and f.id = a.firm_id
    where a.network_id = ${networkId} and a.id = best.id)`;
}

function firms({ networkId }: Admin, { search, id }: Wanted) {
  return {
    columns: sql`'firm' as kind, f.id, f.name, f.name as last_name, '' as first_name, f.billing_email as email,
      null::date as left_on`,
    from: sql`firms f where f.network_id = ${networkId} ${id === undefined ? sql`` : sql`and f.id = ${id}`}`,
    searchText: sql<string>`f.search_text`,
    isFound: sql<SqlBool>`f.id in (
      select o.id from firms o where o.network_id = ${networkId} and ${matchesSearch(sql`o.search_text`, search)}
      union all
      select a.firm_id from attorneys a
      where a.network_id = ${networkId} and a.firm_id is not null and ${matchesSearch(sql`a.search_text`, search)})`,
  };
}

/** The firm's email if it matched, and the first of its lawyers that matched. */
function firmFoundBy({ networkId }: Admin, search: string): RawBuilder<string | null> {
  const lawyer = sql`(select 'attorney ' || a.first_name || ' ' || a.last_name from attorneys a
    where a.network_id = ${networkId} and a.firm_id = best.id and ${matchesSearch(sql`a.search_text`, search)}
    order by a.id limit 1)`;
  return sql`nullif(concat_ws(', ', ${foundBy({ email: sql`best.email` }, search)}, ${lawyer}), '')`;
}
