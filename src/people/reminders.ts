import { type RawBuilder, sql } from "kysely";
import type { Admin } from "#kit/domain/actor.ts";
import type { PlainDate } from "#kit/domain/calendar.ts";
import type { Db } from "#kit/db/database.ts";
import { debitName, debitNames, debitNote } from "#kit/db/debit-names.ts";
import { chosenAttorneyIds } from "#panel/chosen-attorneys.ts";
import type { Reminders } from "#people/contract.ts";
import type { ChosenAttorneys } from "#panel/shapes.ts";

type Counts = Omit<Reminders, "delivery">;

/** How many of the chosen attorneys would be reminded, of how much, and why the others would not. Throws like `chosenAttorneyIds`. */
export async function previewReminders(
  tx: Db,
  admin: Admin,
  chosen: ChosenAttorneys,
  today: PlainDate,
): Promise<Counts> {
  const overdue = overdueOf(admin, await chosenAttorneyIds(tx, admin, chosen, today), today);
  return await countReminders(
    tx,
    sql`with overdue as materialized (${overdue}),
      mailed as (select attorney_id, cents from overdue where ${isToRemind} and not was_reminded)`,
  );
}

/**
 * Email attorneys their overdue debits, without pending amounts. Each gets at most one email a day, because the mail's
 * occasion names attorney and day. One statement. Throws like `chosenAttorneyIds`. Source: domain rules §12.
 */
export async function remindAttorneys(
  tx: Db,
  admin: Admin,
  chosen: ChosenAttorneys,
  today: PlainDate,
): Promise<Counts> {
  const overdue = overdueOf(admin, await chosenAttorneyIds(tx, admin, chosen, today), today);
  return await countReminders(
    tx,
    sql`with overdue as materialized (${overdue}),
      queued as (
        insert into mails (is_bulk, network_id, attorney_id, occasion, recipient, facts, page_path)
        select true, ${admin.networkId}, attorney_id, occasion, email, json_build_object('kind', 'dues reminder',
            'firstName', first_name, 'networkName', ${admin.networkName}::text, 'today', ${today.toString()}::date,
            'debits', debits, 'creditCents', credit_cents), '/dashboard'
        from overdue where ${isToRemind} order by attorney_id
        on conflict (network_id, occasion) do nothing
        returning occasion
      ), mailed as materialized (
        select attorney_id, cents, overdue_debits from overdue join queued using (occasion)
      ), noted as (
        insert into audit_entries
          (network_id, actor_user_id, actor_name, action, record_type, record_id, after)
        select ${admin.networkId}, ${admin.userId}, ${admin.name}, 'reminded of dues', 'attorney', attorney_id,
          jsonb_build_object('amount', dollars(cents), 'overdueDebits', overdue_debits)
        from mailed order by attorney_id
      )`,
  );
}

/** Credit pays the oldest debits first, so overdue amounts count less the credit. */
const isToRemind = sql`not has_left and debits is not null and cents > 0`;

/** The attorneys with their overdue debits less pending amounts; `cents` is what is left to pay after their credit. */
function overdueOf({ networkId }: Admin, ids: number[], today: PlainDate): RawBuilder<unknown> {
  const day = today.toString();
  return sql`
    select judged.*, greatest(overdue_cents - credit_cents, 0) as cents, exists (
      select from mails m where m.network_id = ${networkId} and m.occasion = judged.occasion) as was_reminded
    from (
      select a.id as attorney_id, a.email, a.first_name, a.left_on is not null as has_left,
        'dues reminder:' || a.id || ':' || ${day}::text as occasion, owed.*,
        (select coalesce(sum(c.left_cents), 0)::bigint from credits c
          where c.network_id = a.network_id and c.attorney_id = a.id and c.left_cents > 0) as credit_cents
      from attorneys a
      left join (
        select d.attorney_id as owner_id, sum(d.balance_cents - d.pending_cents)::bigint as overdue_cents,
          count(*) as overdue_debits,
          json_agg(json_build_object('plan', ${debitName}, 'note', ${debitNote}, 'dueOn', d.due_on,
            'amountCents', d.balance_cents - d.pending_cents) order by d.due_on, d.id) as debits
        from debits d ${debitNames}
        where d.network_id = ${networkId} and d.attorney_id = any(${ids}::bigint[])
          and d.balance_cents > 0 and d.balance_cents > d.pending_cents and d.due_on < ${day}::date
        group by d.attorney_id
      ) as owed on owed.owner_id = a.id
      where a.network_id = ${networkId} and a.id = any(${ids}::bigint[])
    ) as judged`;
}

/** `queries` must define `overdue`, and `mailed` as a part of it. */
async function countReminders(tx: Db, queries: RawBuilder<unknown>): Promise<Counts> {
  const { rows } = await sql<Counts>`${queries}
    select (select count(*) from mailed) as reminded,
      (select coalesce(sum(cents), 0)::bigint from mailed) as amount,
      count(*) filter (where ${isToRemind}) - (select count(*) from mailed) as reminded_today,
      count(*) filter (where not has_left and debits is null) as nothing_overdue,
      count(*) filter (where not has_left and debits is not null and cents = 0) as covered_by_credit,
      count(*) filter (where has_left) as left
    from overdue`.execute(tx);
  return rows[0] as Counts; // an aggregate always has its row
}
