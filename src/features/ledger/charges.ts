import { sql } from "kysely";
import type { Day } from "#domain/day.ts";
import type { Cents } from "#domain/money.ts";
import type { Doer } from "#domain/actor.ts";
import type { Db } from "#db/database.ts";

export interface NewCharge {
  attorneyIds: number[];
  name: string;
  /** For each attorney. */
  amountCents: Cents;
  dueOn: Day;
  note: string;
}

/**
 * Charge attorneys with an amount that no plan makes: one charge, and a debit of each. Answers the
 * charge's id. Whoever calls it has found the attorneys in the network. Source: domain rules §10.
 */
export async function chargeAttorneys(tx: Db, doer: Doer, wanted: NewCharge): Promise<number> {
  const { id } = await tx
    .insertInto("charges")
    .values({
      networkId: doer.networkId,
      name: wanted.name,
      note: wanted.note,
      amountCents: wanted.amountCents,
      dueOn: wanted.dueOn,
      createdBy: doer.userId,
    })
    .returning("id")
    .executeTakeFirstOrThrow();
  await sql`
    with made as (
      insert into debits (network_id, attorney_id, charge_id, due_on, amount_cents, balance_cents, created_by)
      select c.network_id, attorney_id, c.id, c.due_on, c.amount_cents, c.amount_cents, c.created_by
      from charges c cross join unnest(${wanted.attorneyIds}::bigint[]) as attorney_id
      where c.network_id = ${doer.networkId} and c.id = ${id}
      order by attorney_id
      returning network_id, id, amount_cents, due_on
    )
    insert into audit_entries (network_id, actor_user_id, actor_name, action, record_type, record_id, after)
    select network_id, ${doer.userId}::bigint, ${doer.name}::text, 'charged', 'debit', id,
      jsonb_build_object('amount', dollars(amount_cents), 'dueOn', due_on, 'note', ${wanted.note}::text)
    from made`.execute(tx);
  return id;
}
