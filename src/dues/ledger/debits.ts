import { sql } from "kysely";
import type { Actor } from "#kit/domain/actor.ts";
import type { Db } from "#kit/db/database.ts";
import { debitDescription, debitName, debitNames, debitNote } from "#kit/db/debit-names.ts";
import { type RawJson, selectJsonOrThrow } from "#kit/db/json-query.ts";
import { listJson, listWhere, tableJson } from "#kit/db/shape-json.ts";
import { refuseUnknownAttorney } from "#panel/known-attorney.ts";
import { Adjustment, Debit, PendingPayment } from "#dues/ledger/contract.ts";

/** The fields of a debit (alias `d`, joined with its names) that are not its columns. */
export const debitFields = {
  name: debitName,
  note: debitNote,
  description: debitDescription,
  dueDate: sql`d.due_on`,
  // Most debits have no pending payment: skip the lookup for them.
  pendingPayments: listWhere(
    sql`d.pending_cents > 0`,
    listJson(
      tableJson(PendingPayment, "paymentAllocations as s", {
        checkNumber: sql`s.check_number`,
        quantity: sql`s.amount_cents`,
      }),
      {
        from: sql`payment_allocations s
          where s.network_id = d.network_id and s.debit_id = d.id and s.status = 'pending'
            and s.check_number is not null`,
        order: sql`s.id`,
      },
    ),
  ),
  adjustments: listJson(
    tableJson(Adjustment, "entries as l", {
      quantity: sql`-l.owed_cents`,
    }),
    {
      from: sql`entries l
        where l.network_id = d.network_id and l.debit_id = d.id and l.cause = 'adjustment'`,
      order: sql`l.id`,
    },
  ),
  paidFromCredit: sql`(
    select coalesce(sum(-x.owed_cents), 0)::bigint from entries x
    where x.network_id = d.network_id and x.debit_id = d.id and x.credit_id is not null)`,
};

export const debitJson = tableJson(Debit, "debits as d", debitFields);

/** Debits joined with what their JSON needs. */
export const namedDebits = sql`debits d ${debitNames}`;

/** Debits that meet the condition `which`, oldest due first. */
const debitsWhere = (which: ReturnType<typeof sql>) =>
  listJson(debitJson, { from: sql`${namedDebits} where ${which}`, order: sql`d.due_on, d.id` });

/** An attorney's debits with a balance above zero, oldest due first. Throws 404 if the actor may not see them. */
export async function listOutstandingDebits(
  tx: Db,
  actor: Actor,
  attorneyId: number,
): Promise<RawJson<Debit[]>> {
  await refuseUnknownAttorney(tx, actor, attorneyId);
  const which = sql`d.network_id = ${actor.networkId} and d.attorney_id = ${attorneyId} and d.balance_cents > 0`;
  return await selectJsonOrThrow(tx, debitsWhere(which), { isPrepared: true });
}

/** Debits by id, oldest due first. */
export async function showDebits(
  tx: Db,
  networkId: number,
  ids: number[],
): Promise<RawJson<Debit[]>> {
  const which = sql`d.network_id = ${networkId} and d.id = any(${ids}::bigint[])`;
  return await selectJsonOrThrow(tx, debitsWhere(which));
}

export async function showDebit(tx: Db, networkId: number, id: number): Promise<RawJson<Debit>> {
  return await selectJsonOrThrow(tx, debitJson, {
    from: sql`${namedDebits} where d.network_id = ${networkId} and d.id = ${id}`,
  });
}
