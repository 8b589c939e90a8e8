import { sql } from "kysely";
import type { Admin } from "#kit/domain/actor.ts";
import { notifyOnCommit } from "#kit/db/changes.ts";
import type { Db } from "#kit/db/database.ts";
import { debitName, debitNames } from "#kit/db/debit-names.ts";
import { type RawJson, selectJson, selectJsonOrThrow } from "#kit/db/json-query.ts";
import { firstJson, jsonWhere, listJson, tableJson } from "#kit/db/shape-json.ts";
import { notFound } from "#kit/contract/refusal.ts";
import { Check } from "#payments/checks/contract.ts";

const { payer, shares, credits } = Check.shape;

const attorneyName = sql`a.first_name || ' ' || a.last_name`;

/** A received check (alias `c`) as the contract's JSON. */
export const checkJson = tableJson(Check, "receivedChecks as c", {
  payer: jsonWhere(
    sql`c.firm_id is null`,
    firstJson(
      tableJson(payer, "attorneys as a", { kind: sql`'attorney'`, name: attorneyName }),
      sql`attorneys a where a.network_id = c.network_id and a.id = c.attorney_id`,
    ),
    firstJson(
      tableJson(payer, "firms as f", { kind: sql`'firm'` }),
      sql`firms f where f.network_id = c.network_id and f.id = c.firm_id`,
    ),
  ),
  shares: listJson(
    tableJson(shares.element, "paymentAllocations as s", {
      shareId: sql`s.id`,
      debitName,
      dueDate: sql`d.due_on`,
      attorneyName,
      status: sql`s.status`,
    }),
    {
      from: sql`payments y
        join payment_allocations s on s.network_id = y.network_id and s.payment_id = y.id
        join attorneys a on a.network_id = y.network_id and a.id = y.attorney_id
        join debits d on d.network_id = s.network_id and d.id = s.debit_id ${debitNames}
        where y.network_id = c.network_id and y.received_check_id = c.id`,
      order: sql`y.id, d.due_on, d.id`,
    },
  ),
  credits: listJson(
    tableJson(credits.element, "payments as y", { attorneyName, amount: sql`y.credit_cents` }),
    {
      from: sql`payments y
        join attorneys a on a.network_id = y.network_id and a.id = y.attorney_id
        where y.network_id = c.network_id and y.received_check_id = c.id and y.credit_cents > 0`,
      order: sql`y.id`,
    },
  ),
  depositNumber: sql`(
    select number from deposits where network_id = c.network_id and id = c.deposit_id)`,
});

/** One check that exists. By a single id, so that the connection can reuse the prepared plan. */
export async function showCheck(tx: Db, networkId: number, id: number): Promise<RawJson<Check>> {
  return await selectJsonOrThrow(tx, checkJson, checkOf(networkId, id));
}

const checkOf = (networkId: number, id: number) => ({
  from: sql`received_checks c where c.network_id = ${networkId} and c.id = ${id}`,
  isPrepared: true,
});

/** Checks by their ids, newest first. */
export async function showChecks(
  tx: Db,
  networkId: number,
  ids: number[],
): Promise<RawJson<Check[]>> {
  const checks = listJson(checkJson, {
    from: sql`received_checks c where c.network_id = ${networkId} and c.id = any(${ids}::bigint[])`,
    order: sql`c.id desc`,
  });
  return await selectJsonOrThrow(tx, checks);
}

/** One check. Throws 404. */
export async function showCheckOf(tx: Db, admin: Admin, id: number): Promise<RawJson<Check>> {
  const found = await selectJson(tx, checkJson, checkOf(admin.networkId, id));
  if (!found) throw notFound("check");
  return found;
}

const maxHints = 10;

/** On commit, send a change hint for each attorney, or a single one for all if there are many. */
export function notifyOfAttorneys(tx: Db, networkId: number, attorneyIds: number[]): void {
  const all = new Set(attorneyIds);
  for (const attorneyId of all.size > maxHints ? [null] : all)
    notifyOnCommit(tx, networkId, attorneyId);
}
