import { sql } from "kysely";
import type { z } from "zod";
import type { Admin } from "#domain/actor.ts";
import type { Db } from "#db/database.ts";
import { bestMatches, ranked } from "#db/name-rank.ts";
import { byPerson } from "#db/sort.ts";
import { matchesSearch } from "#db/text-search.ts";
import { type Choice, type listChoices, maxChoices } from "#features/choices/contract.ts";

type Wanted = z.output<typeof listChoices.query>;

/**
 * Whom or which firm the administrator can choose, the best match of the name first. With nothing typed: firms, then
 * attorneys of the panel, then those who have left, each by name.
 */
export async function offerChoices(tx: Db, admin: Admin, wanted: Wanted): Promise<Choice[]> {
  const kinds = {
    attorneys: [attorneys(admin, wanted)],
    firms: [firms(admin, wanted)],
    payers: [firms(admin, wanted), attorneys(admin, wanted)],
  }[wanted.of];
  const { rows } = await sql<Choice>`
    with found as materialized (${sql.join(kinds, sql` union all `)}), best as (${bestMatches})
    select kind, id, name, email, left_on, by as found_by, (
        select count(*) from attorneys a
        where kind = 'firm' and a.network_id = ${admin.networkId} and a.firm_id = best.id
        having kind = 'firm') as lawyers
    from best
    order by rank, kind desc, left_on nulls first, ${byPerson()}
    limit ${maxChoices}`.execute(tx);
  return rows;
}

function attorneys(admin: Admin, { of, search, id }: Wanted) {
  return ranked(
    {
      columns: sql`'attorney' as kind, a.id, ${attorneyName} as name, a.last_name, a.first_name, a.email, a.left_on`,
      from: sql`${listedAttorneys(admin, search)}
        ${id === undefined ? sql`` : sql`and a.id = ${id}`}
        ${of === "payers" || id !== undefined ? sql`` : sql`and a.left_on is null`}`,
      name: attorneyName,
      texts: attorneyTexts,
    },
    search,
  );
}

export const attorneyName = sql`a.first_name || ' ' || a.last_name`;

/** What an attorney (alias `a`, of the firm `f`) is found by beside the name. */
export const attorneyTexts = {
  email: sql`a.email`,
  phone: sql`a.phone`,
  "bar number": sql`a.bar_number`,
  firm: sql`f.name`,
};

/** The network's attorneys (alias `a`, of the firm `f`) whom a search finds by any of their texts: a `from` with its `where`. */
export function listedAttorneys({ networkId }: Admin, search: string) {
  const ofFirm = sql`a.firm_id = any(array(select f.id from firms f
    where f.network_id = ${networkId} and ${matchesSearch(sql`folded(f.name)`, search)}))`;
  return sql`attorneys a left join firms f on f.network_id = a.network_id and f.id = a.firm_id
    where a.network_id = ${networkId}
    ${search === "" ? sql`` : sql`and (${matchesSearch(sql`a.search_text`, search)} or ${ofFirm})`}`;
}

function firms({ networkId }: Admin, { search, id }: Wanted) {
  const lawyers = sql`select a.first_name || ' ' || a.last_name from attorneys a
    where a.network_id = f.network_id and a.firm_id = f.id and ${matchesSearch(sql`a.search_text`, search)}`;
  return ranked(
    {
      columns: sql`'firm' as kind, f.id, f.name, f.name as last_name, '' as first_name, f.billing_email as email,
        null::date as left_on`,
      from: sql`firms f where f.network_id = ${networkId}
        ${id === undefined ? sql`` : sql`and f.id = ${id}`}
        ${search === "" ? sql`` : sql`and (${matchesSearch(sql`f.search_text`, search)} or exists (${lawyers}))`}`,
      name: sql`f.name`,
      texts: {
        email: sql`f.billing_email`,
        lawyer: sql`(${lawyers} order by a.id limit 1)`,
      },
    },
    search,
  );
}
