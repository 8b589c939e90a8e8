import { sql } from "kysely";
import { Temporal } from "temporal-polyfill";
import { dayIn } from "#kit/domain/calendar.ts";
import { type Day, daysAfter } from "#kit/domain/day.ts";
import type { Db } from "#kit/db/database.ts";
import { withoutNestedLoops } from "#kit/db/planner-settings.ts";
import { receivablesAsOf } from "#dues/ledger/receivables/receivables-as-of.ts";
import { sumsByKind } from "#dues/ledger/statements/statement.ts";
import { monthToMail } from "#dues/ledger/statements/statement-settings.ts";

/**
 * Put the statements that are due into the outbox, network by network, once a month per attorney. Missing ones
 * are added after a restart or a day without a worker. `now` is an ISO 8601 instant. Source: domain rules §12.
 */
export async function mailDueStatements(
  db: Db,
  now: string,
  stopping?: AbortSignal,
): Promise<void> {
  const networks = await db
    .selectFrom("networks")
    .select(["id", "timeZone", "statementDay", "statementsBegunOn", "statementsMailedThrough"])
    .where("statementDay", "is not", null)
    .orderBy("id")
    .execute();
  const problems: unknown[] = [];
  for (const network of networks) {
    if (stopping?.aborted) break;
    const today = dayIn(network.timeZone, Temporal.Instant.from(now)).toString();
    if (!monthToMail(network, today)) continue;
    try {
      await mailStatements(db, network, today);
    } catch (problem) {
      problems.push(problem); // go on with the other networks
    }
  }
  if (problems.length > 0)
    throw new AggregateError(problems, "Statements of some networks were not emailed.");
}

async function mailStatements(
  db: Db,
  { id, timeZone }: { id: number; timeZone: string },
  today: Day,
): Promise<void> {
  await withoutNestedLoops(db, async (tx) => {
    // Locked, so only one of two workers does it, with the current setting.
    const mailing = await tx
      .selectFrom("networks")
      .select(["statementDay", "statementsBegunOn", "statementsMailedThrough"])
      .where("id", "=", id)
      .forNoKeyUpdate()
      .executeTakeFirstOrThrow();
    const month = monthToMail(mailing, today);
    if (!month) return;
    await queueStatements(tx, { id, timeZone }, { ...month, today });
    await tx
      .updateTable("networks")
      .set({ statementsMailedThrough: month.to })
      .where("id", "=", id)
      .execute();
  });
}

/** In one SQL statement for the whole network. Attorneys with no balance, credit or entries are left out. */
async function queueStatements(
  tx: Db,
  network: { id: number; timeZone: string },
  { from, to, today }: { from: Day; to: Day; today: Day },
): Promise<void> {
  await sql`
    with before as materialized (${receivablesAsOf(network, daysAfter(from, -1))}),
    after as materialized (${receivablesAsOf(network, to)}),
    moved as materialized (
      select l.attorney_id, ${sumsByKind(sql`true`)}
      from entries l
      where l.network_id = ${network.id} and coalesce(l.debit_id, l.credit_id) is not null and l.day between ${from}::date and ${to}::date
      group by l.attorney_id
    )
    insert into mails (is_bulk, network_id, attorney_id, occasion, recipient, facts, page_path)
    select true, a.network_id, a.id, 'statement:' || a.id || ':' || ${from.slice(0, 7)}::text, a.email,
      json_build_object('kind', 'statement', 'firstName', a.first_name, 'from', ${from}::date, 'to', ${to}::date,
        'openingCents', coalesce(before.total_cents, 0), 'chargedCents', coalesce(moved.charged_cents, 0),
        'paidCents', coalesce(moved.paid_cents, 0), 'takenBackCents', coalesce(moved.taken_back_cents, 0),
        'adjustedCents', coalesce(moved.adjusted_cents, 0), 'closingCents', coalesce(after.total_cents, 0),
        'creditCents', coalesce(after.credit_cents, 0)),
      '/statements/' || a.id || '?from=' || ${from}::text || '&to=' || ${to}::text
    from attorneys a
    left join before on before.attorney_id = a.id
    left join after on after.attorney_id = a.id
    left join moved on moved.attorney_id = a.id
    where a.network_id = ${network.id} and (a.left_on is null or a.left_on > ${today}::date)
      and (after.total_cents <> 0 or after.credit_cents <> 0 or moved.attorney_id is not null)
    order by a.id
    on conflict (network_id, occasion) do nothing`.execute(tx);
}
