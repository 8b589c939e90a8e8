import { type RawBuilder, sql } from "kysely";
import type { ChangeAuthor } from "#kit/domain/actor.ts";
import type { Db } from "#kit/db/database.ts";
import { queueCreditReceipts, receiptsOf } from "#outgoing/mail/receipts.ts";

export type Decision = "approved" | "denied";

export interface LockedCheck {
  id: number;
  checkNumber: string;
  status: string;
  attorneyIds: number[];
}

/** Lock received checks in id order, before anything else. Every change of a check's shares takes this lock. */
export async function lockChecks(tx: Db, networkId: number, ids: number[]): Promise<LockedCheck[]> {
  const { rows } = await sql<LockedCheck>`
    select c.id, c.check_number, c.status, to_json(array(
      select y.attorney_id from payments y
      where y.network_id = c.network_id and y.received_check_id = c.id)) as attorney_ids
    from received_checks c
    where c.network_id = ${networkId} and c.id = any(${ids}::bigint[])
    order by c.id for update`.execute(tx);
  return rows;
}

/** Lock the debits of pending shares in id order, the order in which payments lock them. */
export async function lockPendingDebits(
  tx: Db,
  networkId: number,
  checkIds: number[],
): Promise<void> {
  await sql`
    select d.id from debits d
    where d.network_id = ${networkId} and d.id in (
      select s.debit_id from payments y
      join payment_allocations s on s.network_id = y.network_id and s.payment_id = y.id
      where y.network_id = ${networkId} and y.received_check_id = any(${checkIds}::bigint[])
        and s.status = 'pending')
    order by d.id for update`.execute(tx);
}

/** The checks to decide, and which of their shares; without `shareIds`, all pending ones. */
export interface Decided {
  decision: Decision;
  checkIds: number[];
  shareIds?: number[];
}

/**
 * The only function that decides checks: pending shares of checks locked with their debits, with audit entries and
 * receipts. A few statements for any number of checks. A trigger sets a check's status from its shares; a check that is
 * only credit has no shares and is updated itself. Source: domain rules §4 and §10.
 */
export async function decideShares(
  tx: Db,
  admin: ChangeAuthor,
  { decision, checkIds, shareIds: named }: Decided,
): Promise<void> {
  if (checkIds.length === 0) return;
  const { networkId } = admin;
  const { rows: shares } = await sql<{ id: number }>`
    update payment_allocations s
    set status = ${decision}, decided_at = clock(), decided_by = ${admin.userId}
    from payments y
    where y.network_id = ${networkId} and y.received_check_id = any(${checkIds}::bigint[])
      and s.network_id = y.network_id and s.payment_id = y.id and s.status = 'pending'
      ${named ? sql`and s.id = any(${named}::bigint[])` : sql``}
    returning s.id`.execute(tx);
  if (!named)
    await sql`
      update received_checks
      set status = ${decision}, decided_at = clock(), decided_by = ${admin.userId}
      where network_id = ${networkId} and id = any(${checkIds}::bigint[]) and status = 'pending'`.execute(
      tx,
    );
  const shareIds = shares.map(({ id }) => id);
  await auditDecisions(tx, admin, { decision, checkIds, shareIds });
  await sql`${receiptsOf({
    payments: paymentsToTell(networkId, decision, checkIds),
    shares: sql`(select * from payment_allocations
      where network_id = ${networkId} and id = any(${shareIds}::bigint[]))`,
    receipt: decision,
  })}`.execute(tx);
  if (decision === "denied") await queueCreditReceipts(tx, networkId, checkIds);
}

/** Write an audit entry for each check, with the amount decided now. Other shares may have been decided before. */
async function auditDecisions(
  tx: Db,
  admin: ChangeAuthor,
  { decision, checkIds, shareIds }: { decision: Decision; checkIds: number[]; shareIds: number[] },
): Promise<void> {
  await sql`
    insert into audit_entries
      (network_id, actor_user_id, actor_name, action, record_type, record_id, before, after)
    select c.network_id, ${admin.userId}, ${admin.name}, ${`${decision} check`}, 'received check', c.id,
      '{"status": "pending"}', jsonb_build_object('status', c.status, 'checkNumber', c.check_number,
        'amount', dollars(decided.cents))
    from received_checks c
    cross join lateral (
      select sum(${creditOf(decision)} + (
        select coalesce(sum(s.amount_cents), 0) from payment_allocations s
        where s.network_id = y.network_id and s.payment_id = y.id and s.id = any(${shareIds}::bigint[])
      ))::bigint as cents
      from payments y where y.network_id = c.network_id and y.received_check_id = c.id) as decided
    where c.network_id = ${admin.networkId} and c.id = any(${checkIds}::bigint[])
    order by c.id`.execute(tx);
}

/**
 * The credit of a payment `y` of check `c`, decided with the last share. A check denied only in part still brings its
 * credit.
 */
const creditOf = (decision: Decision): RawBuilder<number> =>
  decision === "approved"
    ? sql`case when c.status in ('approved', 'mixed') then y.credit_cents else 0 end`
    : sql`case when c.status = 'denied' then y.credit_cents else 0 end`;

/** The payments whose attorneys are emailed a receipt, with their credit. */
const paymentsToTell = (
  networkId: number,
  decision: Decision,
  checkIds: number[],
): RawBuilder<unknown> => sql`(
  select y.network_id, y.id, y.attorney_id, y.check_number, firm.name as firm,
    ${creditOf(decision)} as credit_cents
  from received_checks c
  join payments y on y.network_id = c.network_id and y.received_check_id = c.id
  left join firms firm on firm.network_id = c.network_id and firm.id = c.firm_id
  where c.network_id = ${networkId} and c.id = any(${checkIds}::bigint[]))`;
