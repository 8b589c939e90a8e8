import { type RawBuilder, sql } from "kysely";
import type { Doer } from "#domain/actor.ts";
import type { Db } from "#db/database.ts";
import type { RawJson } from "#db/json-query.ts";
import { invalid, notFound, Refusal } from "#contract/refusal.ts";
import { notifyOfAttorneys, showChecks } from "#features/checks/check-list.ts";
import type { CheckDecisions } from "#features/checks/contract.ts";
import { queueCreditReceipts, receiptsOfChecks } from "#features/mail/receipts.ts";

type Decision = "approved" | "denied";

/**
 * Approve and deny checks, all or nothing; of one whose shares are partly decided, the others are.
 * Throws 404 for an unknown check, 409 for one that is decided already. Answers the checks, newest first.
 * A few statements for any number of checks. Source: domain rules §10.
 */
export async function decideWholeChecks(
  tx: Db,
  admin: Doer,
  { approve, deny }: CheckDecisions,
): Promise<RawJson> {
  const ids = [...approve, ...deny];
  if (new Set(ids).size < ids.length) throw invalid("approve", "A check may be named only once.");
  const checks = await lockChecks(tx, admin, ids);
  if (checks.length < ids.length) throw notFound("check");
  const decided = checks.find(({ status }) => status !== "pending");
  if (decided)
    throw new Refusal(
      409,
      `Check ${decided.checkNumber} has already been ${decided.status === "mixed" ? "decided" : decided.status}. Reload to see it.`,
    );
  await lockPendingDebits(tx, admin, ids);
  await decide(tx, admin, "approved", approve);
  await decide(tx, admin, "denied", deny);
  notifyOfAttorneys(
    tx,
    admin.networkId,
    checks.flatMap((check) => check.attorneyIds),
  );
  return await showChecks(tx, admin.networkId, ids);
}

/** Approve a check that the same transaction has recorded, and whose debits it therefore holds. */
export async function approveRecorded(tx: Db, admin: Doer, checkId: number): Promise<void> {
  await decide(tx, admin, "approved", [checkId]);
}

interface LockedCheck {
  id: number;
  checkNumber: string;
  status: string;
  attorneyIds: number[];
}

async function lockChecks(tx: Db, admin: Doer, ids: number[]): Promise<LockedCheck[]> {
  const { rows } = await sql<LockedCheck>`
    select c.id, c.check_number, c.status, to_json(array(
      select y.attorney_id from payments y
      where y.network_id = c.network_id and y.received_check_id = c.id)) as attorney_ids
    from received_checks c
    where c.network_id = ${admin.networkId} and c.id = any(${ids}::bigint[])
    order by c.id for update`.execute(tx);
  return rows;
}

async function lockPendingDebits(tx: Db, admin: Doer, checkIds: number[]): Promise<void> {
  await sql`
    select d.id from debits d
    where d.network_id = ${admin.networkId} and d.id in (
      select s.debit_id from payments y
      join payment_allocations s on s.network_id = y.network_id and s.payment_id = y.id
      where y.network_id = ${admin.networkId} and y.received_check_id = any(${checkIds}::bigint[])
        and s.status = 'pending')
    order by d.id for update`.execute(tx);
}

/**
 * Decide the pending shares of checks that are locked, with their audit entries and receipts. A check
 * takes its status from its shares by a trigger; one that is credit alone has none and is decided itself.
 */
async function decide(tx: Db, admin: Doer, status: Decision, checkIds: number[]): Promise<void> {
  if (checkIds.length === 0) return;
  const { networkId } = admin;
  const { rows: shares } = await sql<{ id: number }>`
    update payment_allocations s
    set status = ${status}, decided_at = now(), decided_by = ${admin.userId}
    from payments y
    where y.network_id = ${networkId} and y.received_check_id = any(${checkIds}::bigint[])
      and s.network_id = y.network_id and s.payment_id = y.id and s.status = 'pending'
    returning s.id`.execute(tx);
  await sql`
    update received_checks
    set status = ${status}, decided_at = now(), decided_by = ${admin.userId}
    where network_id = ${networkId} and id = any(${checkIds}::bigint[]) and status = 'pending'`.execute(
    tx,
  );
  const shareIds = shares.map(({ id }) => id);
  await auditDecisions(tx, admin, { status, checkIds, shareIds });
  await sql`${receiptsOfChecks({
    payments: paymentsToTell(networkId, status, checkIds),
    shares: sql`(select * from payment_allocations
      where network_id = ${networkId} and id = any(${shareIds}::bigint[]))`,
    receipt: status,
  })}`.execute(tx);
  if (status === "denied") await queueCreditReceipts(tx, networkId, checkIds);
}

/** Write an audit entry for each check, with what was decided now of it: other shares may have been decided before. */
async function auditDecisions(
  tx: Db,
  admin: Doer,
  { status, checkIds, shareIds }: { status: Decision; checkIds: number[]; shareIds: number[] },
): Promise<void> {
  await sql`
    insert into audit_entries
      (network_id, actor_user_id, actor_name, action, record_type, record_id, before, after)
    select c.network_id, ${admin.userId}, ${admin.name}, ${`${status} check`}, 'received check', c.id,
      '{"status": "pending"}', jsonb_build_object('status', c.status, 'checkNumber', c.check_number,
        'amount', dollars(decided.cents))
    from received_checks c
    cross join lateral (
      select sum(${creditOf(status)} + (
        select coalesce(sum(s.amount_cents), 0) from payment_allocations s
        where s.network_id = y.network_id and s.payment_id = y.id and s.id = any(${shareIds}::bigint[])
      ))::bigint as cents
      from payments y where y.network_id = c.network_id and y.received_check_id = c.id) as decided
    where c.network_id = ${admin.networkId} and c.id = any(${checkIds}::bigint[])
    order by c.id`.execute(tx);
}

/** The credit of a payment `y` of check `c`, which shares its fate: a check denied in part brings its credit all the same. */
const creditOf = (status: Decision): RawBuilder<number> =>
  sql`case when ${status} = 'denied' and c.status = 'mixed' then 0 else y.credit_cents end`;

/** The payments of checks, with their credit. */
const paymentsToTell = (
  networkId: number,
  status: Decision,
  checkIds: number[],
): RawBuilder<unknown> => sql`(
  select y.network_id, y.id, y.attorney_id, y.check_number, firm.name as firm,
    ${creditOf(status)} as credit_cents
  from received_checks c
  join payments y on y.network_id = c.network_id and y.received_check_id = c.id
  left join firms firm on firm.network_id = c.network_id and firm.id = c.firm_id
  where c.network_id = ${networkId} and c.id = any(${checkIds}::bigint[]))`;
