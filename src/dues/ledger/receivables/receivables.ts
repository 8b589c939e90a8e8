import { sql } from "kysely";
import { z } from "zod";
import { isAfter, type PlainDate, plainDate } from "#kit/domain/calendar.ts";
import type { Admin } from "#kit/domain/actor.ts";
import type { Db } from "#kit/db/database.ts";
import { type RawJson, selectJsonOrThrow } from "#kit/db/json-query.ts";
import { withoutNestedLoops } from "#kit/db/planner-settings.ts";
import { firstJson, pageJson, shapeJson } from "#kit/db/shape-json.ts";
import { invalid } from "#kit/contract/refusal.ts";
import { AgingRow, AgingTotals, showReceivables } from "#dues/ledger/receivables/contract.ts";
import {
  amounts,
  receivablesAsOf,
  totalReceivablesAsOf,
} from "#dues/ledger/receivables/receivables-as-of.ts";
import { attorneyOf, receivableRows } from "#dues/ledger/receivables/receivables.rows.ts";
import { allOf } from "#kit/list/list-context.ts";
import { orderSql } from "#kit/list/list-page.ts";

/**
 * A page of what attorneys owed at the end of a day, with the totals of all pages. Throws 422 for a day after
 * today. Source: domain rules §10.
 */
export async function showReceivablesAsOf(
  db: Db,
  admin: Pick<Admin, "networkId" | "timeZone">,
  wanted: z.output<typeof showReceivables.query>,
  today: PlainDate,
): Promise<RawJson<z.output<typeof showReceivables.object>>> {
  const { as_of: asOf = today.toString(), bucket } = wanted;
  if (isAfter(plainDate(asOf), today)) throw invalid("as_of", "As of must be today or earlier.");
  const context = { ...admin, today: today.toString() };
  const isListed = allOf([sql`true`, bucket && receivableRows.filters.bucket(bucket, context)]);
  return await withoutNestedLoops(db, async (tx) => {
    await sql`set local work_mem = '64MB'`.execute(tx); // a whole table is hashed
    return await selectJsonOrThrow(
      tx,
      shapeJson(showReceivables.object, {
        asOf: sql`${asOf}::date`,
        rows: pageJson(
          AgingRow,
          row,
          {
            from: sql`aging r ${attorneyOf(admin.networkId)}`,
            order: orderSql(receivableRows, context, wanted),
            counted: sql`aging`,
          },
          wanted,
        ),
        totals: firstJson(totals, sql`aging r`),
      }),
      {
        with: sql`aging as materialized (
          select * from (${receivablesAsOf({ id: admin.networkId, timeZone: admin.timeZone }, asOf)}) as r
          where ${isListed})`,
      },
    );
  });
}

/** What all attorneys together owe now, by days overdue. */
export async function totalReceivables(
  db: Db,
  admin: Pick<Admin, "networkId" | "timeZone">,
  today: PlainDate,
): Promise<z.output<typeof AgingTotals>> {
  const network = { id: admin.networkId, timeZone: admin.timeZone };
  const { text } = await selectJsonOrThrow(db, totals, {
    from: sql`(${totalReceivablesAsOf(network, today.toString())}) as r`,
  });
  return z.decode(AgingTotals, JSON.parse(text) as z.input<typeof AgingTotals>); // built by this shape
}

const row = shapeJson(AgingRow, {
  attorneyId: sql`r.attorney_id`,
  attorneyName: sql`a.first_name || ' ' || a.last_name`,
  ...amounts,
});

const summed = (cents: (typeof amounts)["total"]) => sql`coalesce(sum(${cents}), 0)::bigint`;

const totals = shapeJson(AgingTotals, {
  attorneyId: sql`null`,
  attorneyName: sql`'All attorneys'`,
  current: summed(amounts.current),
  days30: summed(amounts.days30),
  days60: summed(amounts.days60),
  days90: summed(amounts.days90),
  over90: summed(amounts.over90),
  total: summed(amounts.total),
  credit: summed(amounts.credit),
});
