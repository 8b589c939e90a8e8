import { sql } from "kysely";
import { z } from "zod";
import { isAfter, type PlainDate, plainDate } from "#domain/calendar.ts";
import type { Admin } from "#domain/actor.ts";
import type { Db } from "#db/database.ts";
import { jsonQueryOrThrow, type RawJson } from "#db/json-query.ts";
import { byPerson, orderBy, personOrder } from "#db/sort.ts";
import { withoutNestedLoops } from "#db/planner-settings.ts";
import { invalid } from "#contract/refusal.ts";
import { AgingTotals, type showReceivables } from "#features/receivables/contract.ts";
import {
  isOwedFor,
  receivablesAsOf,
  totalReceivablesAsOf,
} from "#features/receivables/receivables-as-of.ts";

/**
 * One page of what attorneys owed at the end of a day, with the totals of all pages. Throws 422 for a day after
 * today. Source: domain rules §10.
 */
export async function showReceivablesAsOf(
  db: Db,
  admin: Pick<Admin, "networkId" | "timeZone">,
  wanted: z.output<typeof showReceivables.query>,
  today: PlainDate,
): Promise<RawJson> {
  const asOf = wanted.as_of ?? today.toString();
  if (isAfter(plainDate(asOf), today)) throw invalid("as_of", "As of must not be after today.");
  const order = orderBy(wanted.sort, orders, { usual: byPerson("a"), tie: sql`a.id` });
  const network = { id: admin.networkId, timeZone: admin.timeZone };
  return await withoutNestedLoops(db, async (tx) => {
    await sql`set local work_mem = '64MB'`.execute(tx); // one table is hashed whole
    return await jsonQueryOrThrow(
      tx,
      sql<{ body: string }>`
        with aging as materialized (
          select * from (${receivablesAsOf(network, asOf)}) as r
          where ${isOwedFor(wanted.bucket)}),
        listed as materialized (
          select r.*, a.first_name, a.last_name, row_number() over (order by ${order}) as at
          from aging r join attorneys a on a.network_id = ${admin.networkId} and a.id = r.attorney_id
          order by ${order}
          limit ${wanted.per_page} offset ${(wanted.page - 1) * wanted.per_page}
        )
        select json_build_object('asOf', ${asOf}::date, 'rows', json_build_object(
            'items', (
              select coalesce(json_agg(${agingJson(sql`r.attorney_id`, sql`r.first_name || ' ' || r.last_name`)}
                order by r.at), '[]')
              from listed r),
            'total', count(*), 'page', ${wanted.page}::integer, 'perPage', ${wanted.per_page}::integer),
          'totals', ${totalsJson})::text as body
        from aging r`,
    );
  });
}

/** What all attorneys together owe at this moment, by how long it is overdue. */
export async function totalReceivables(
  db: Db,
  admin: Pick<Admin, "networkId" | "timeZone">,
  today: PlainDate,
): Promise<z.output<typeof AgingTotals>> {
  const network = { id: admin.networkId, timeZone: admin.timeZone };
  const { rows } = await sql<{ totals: z.input<typeof AgingTotals> }>`
    select ${totalsJson} as totals from (${totalReceivablesAsOf(network, today.toString())}) as r`.execute(
    db,
  );
  return z.decode(AgingTotals, rows[0]?.totals as z.input<typeof AgingTotals>); // an aggregate always has its row
}

const orders = {
  attorney: personOrder("a"),
  current: sql`r.current_cents`,
  days30: sql`r.to_30_cents`,
  days60: sql`r.to_60_cents`,
  days90: sql`r.to_90_cents`,
  over90: sql`r.over_90_cents`,
  total: sql`r.total_cents`,
  credit: sql`r.credit_cents`,
};

type Sql = ReturnType<typeof sql>;

function agingJson(id: Sql, name: Sql, summed: (column: Sql) => Sql = (column) => column) {
  const amount = (column: string) => sql`dollars(${summed(sql.ref(`r.${column}`))})`;
  return sql`json_build_object('attorneyId', ${id}, 'attorneyName', ${name},
    'current', ${amount("current_cents")}, 'days30', ${amount("to_30_cents")},
    'days60', ${amount("to_60_cents")}, 'days90', ${amount("to_90_cents")},
    'over90', ${amount("over_90_cents")}, 'total', ${amount("total_cents")},
    'credit', ${amount("credit_cents")})`;
}

const totalsJson = agingJson(
  sql`null`,
  sql`'All attorneys'`,
  (column) => sql`coalesce(sum(${column}), 0)::bigint`,
);
