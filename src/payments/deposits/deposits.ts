import { sql } from "kysely";
import type { z } from "zod";
import type { PlainDate } from "#kit/domain/calendar.ts";
import { cents, dollarsText, sum } from "#kit/domain/money.ts";
import type { Admin } from "#kit/domain/actor.ts";
import { audit } from "#kit/db/audit.ts";
import { notifyOnCommit } from "#kit/db/changes.ts";
import { refuseClosedDay } from "#kit/db/closed-books.ts";
import type { Db } from "#kit/db/database.ts";
import { type RawJson, selectJson, selectJsonOrThrow } from "#kit/db/json-query.ts";
import { lockKey, lockOf } from "#kit/db/locks.ts";
import { aggregateJson, firstJson, listJson, shapeJson, tableJson } from "#kit/db/shape-json.ts";
import type { PageQuery } from "#kit/contract/page.ts";
import { invalid, notFound, Refusal } from "#kit/contract/refusal.ts";
import { checkJson } from "#payments/checks/checks.ts";
import {
  refuseBankedOn,
  refuseFarDay,
  refuseImpossibleDay,
} from "#payments/deposits/deposit-days.ts";
import {
  Deposit,
  type DepositChanges,
  listUndepositedChecks,
  maxChecks,
  type NewDeposit,
} from "#payments/deposits/contract.ts";

/** A deposit (alias `t`) as the contract's JSON. */
export const depositJson = firstJson(
  tableJson(Deposit, "deposits as t", {
    checks: aggregateJson(checkJson, { when: sql`c.id is not null`, order: sql`c.id` }),
    count: sql`count(c.id)`,
    total: sql`coalesce(sum(c.amount_cents), 0)::bigint`,
    returned: sql`coalesce(sum(c.amount_cents) filter (where c.status = 'returned'), 0)::bigint`,
    status: sql`case when t.banked_at is null then 'open' else 'banked' end`,
  }),
  sql`(values (1)) as one
    left join received_checks c on c.network_id = t.network_id and c.deposit_id = t.id`,
);

/** Approved checks not yet deposited, newest first, with their sum. */
export async function listChecksToDeposit(
  tx: Db,
  { networkId }: Admin,
  { page, per_page }: PageQuery,
): Promise<RawJson<z.output<typeof listUndepositedChecks.object>>> {
  const waiting = sql`received_checks
    where network_id = ${networkId} and deposit_id is null and status in ('approved', 'mixed')`;
  const onePage = sql`select * from ${waiting} order by id desc
    limit ${per_page} offset ${(page - 1) * per_page}`;
  const checks = shapeJson(listUndepositedChecks.object, {
    items: listJson(checkJson, { from: sql`(${onePage}) as c`, order: sql`c.id desc` }),
    total: sql`count(*)`,
    page: sql`${page}::integer`,
    perPage: sql`${per_page}::integer`,
    amount: sql`coalesce(sum(amount_cents), 0)::bigint`,
  });
  return await selectJsonOrThrow(tx, checks, { from: waiting });
}

/** One deposit. Throws 404. */
export async function showDepositOf(tx: Db, admin: Admin, id: number): Promise<RawJson<Deposit>> {
  const found = await selectJson(tx, depositJson, {
    from: sql`deposits t where t.network_id = ${admin.networkId} and t.id = ${id}`,
  });
  if (!found) throw notFound("deposit");
  return found;
}

/**
 * Put approved checks into a new deposit with the network's next number, all or none. Throws 404 for an unknown check, 422
 * for a day more than a year ago, more than 7 days ahead or before a check was received, 409 naming a check that cannot
 * be deposited. Source: domain rules §10.
 */
export async function makeDepositOf(
  tx: Db,
  admin: Admin,
  wanted: NewDeposit,
  today: PlainDate,
): Promise<RawJson<Deposit>> {
  refuseFarDay(wanted.deposited_on, today);
  const checks = await lockChecks(tx, admin, wanted.check_ids);
  refuseUndepositable(checks, null);
  refuseImpossibleDay(wanted.deposited_on, checks);
  await sql`select pg_advisory_xact_lock(${lockOf.deposit}, ${lockKey(admin.networkId)})`.execute(
    tx,
  );
  const { rows } = await sql<{ id: number; number: number }>`
    insert into deposits (network_id, number, deposited_on, account_name, created_by)
    select ${admin.networkId}, coalesce(max(number), 0) + 1, ${wanted.deposited_on}, ${wanted.account_name}, ${admin.userId}
    from deposits where network_id = ${admin.networkId}
    returning id, number`.execute(tx);
  const [made] = rows;
  if (!made) throw new Error("The deposit was not inserted.");
  await addChecks(tx, admin, made.id, wanted.check_ids);
  await audit(tx, admin, {
    action: "made deposit",
    recordType: "deposit",
    recordId: made.id,
    after: {
      depositedOn: wanted.deposited_on,
      accountName: wanted.account_name,
      ...contentsOf(checks),
    },
  });
  notifyOnCommit(tx, admin.networkId, null);
  return await showDepositOf(tx, admin, made.id);
}

/**
 * Change an open deposit's checks, date or account, or mark it as banked, which is final. Throws like `makeDepositOf`; 409
 * for a banked deposit, for removing a returned check, and for banking an empty deposit; 422 for an impossible banked day.
 */
export async function changeDepositOf(
  tx: Db,
  admin: Admin,
  { id, wanted, today }: { id: number; wanted: DepositChanges; today: PlainDate },
): Promise<RawJson<Deposit>> {
  if (wanted.deposited_on) refuseFarDay(wanted.deposited_on, today);
  const before = await lockDeposit(tx, admin, id);
  const named = wanted.check_ids ?? wanted.add_check_ids ?? [];
  const locked = await lockChecks(tx, admin, named, id);
  const held = locked.filter((check) => check.depositId === id);
  const ids = checksWanted(wanted, held);
  const checks = ids ? locked.filter((check) => ids.has(check.id)) : held;
  if (before.bankedAt !== null)
    throw new Refusal(409, `Deposit ${before.number} is marked as banked and cannot be changed.`);
  if (ids) await exchangeChecks(tx, admin, { id, held, checks });
  const { depositedOn } = before;
  if (wanted.deposited_on) refuseImpossibleDay(wanted.deposited_on, checks, depositedOn);
  else
    refuseImpossibleDay(
      depositedOn,
      checks.filter((check) => check.depositId !== id),
    );
  if (wanted.status === "banked" && checks.length === 0)
    throw new Refusal(
      409,
      `Deposit ${before.number} has no checks. Add some before you mark it as banked.`,
    );
  const now = {
    depositedOn: wanted.deposited_on ?? before.depositedOn,
    accountName: wanted.account_name ?? before.accountName,
  };
  const bankedOn = wanted.status === "banked" && (wanted.banked_on ?? today.toString());
  if (bankedOn) refuseBankedOn(bankedOn, { ...before, ...now }, today);
  const changing = tx
    .updateTable("deposits")
    .set({
      ...now,
      ...(bankedOn && { bankedAt: sql<string>`clock()`, bankedOn, bankedBy: admin.userId }),
    })
    .where("networkId", "=", admin.networkId)
    .where("id", "=", id)
    .execute();
  await refuseClosedDay("banked_on", changing);
  await audit(tx, admin, {
    action: wanted.status === "banked" ? "marked deposit as banked" : "changed deposit",
    recordType: "deposit",
    recordId: id,
    before: {
      status: "open",
      depositedOn: before.depositedOn,
      accountName: before.accountName,
      ...contentsOf(held),
    },
    after: {
      status: wanted.status ?? "open",
      ...now,
      ...(bankedOn && { bankedOn }),
      ...contentsOf(checks),
    },
  });
  notifyOnCommit(tx, admin.networkId, null);
  return await showDepositOf(tx, admin, id);
}

/** The ids of the checks that the deposit should have; undefined for no change. Throws 422 for too many. */
function checksWanted(wanted: DepositChanges, held: HeldCheck[]): Set<number> | undefined {
  if (wanted.check_ids) return new Set(wanted.check_ids);
  if (!wanted.add_check_ids && !wanted.remove_check_ids) return undefined;
  const ids = new Set([...held.map(({ id }) => id), ...(wanted.add_check_ids ?? [])]);
  for (const id of wanted.remove_check_ids ?? []) ids.delete(id);
  if (ids.size > maxChecks)
    throw invalid(
      "add_check_ids",
      "A deposit can have at most 1,000 checks. Make another deposit for the rest.",
    );
  return ids;
}

/** Locked before its checks, so that changes of one deposit run one after another. */
async function lockDeposit(tx: Db, admin: Admin, id: number) {
  const found = await tx
    .selectFrom("deposits")
    .select(["number", "depositedOn", "accountName", "bankedAt"])
    .where("networkId", "=", admin.networkId)
    .where("id", "=", id)
    .forNoKeyUpdate()
    .executeTakeFirst();
  if (!found) throw notFound("deposit");
  return found;
}

type HeldCheck = Awaited<ReturnType<typeof lockChecks>>[number];

/**
 * Lock checks, and those in a deposit, in id order, like deciding and returning; then read them with their current
 * deposits. Throws 404 for a check outside the network.
 */
async function lockChecks(tx: Db, admin: Admin, ids: number[], depositId = 0) {
  const wanted = tx
    .selectFrom("receivedChecks as c")
    .where("c.networkId", "=", admin.networkId)
    .where((is) => is.or([is("c.id", "in", [0, ...ids]), is("c.depositId", "=", depositId)]))
    .orderBy("c.id");
  await wanted.select("c.id").forUpdate().execute();
  const checks = await wanted
    .leftJoin("deposits as t", (join) =>
      join.onRef("t.networkId", "=", "c.networkId").onRef("t.id", "=", "c.depositId"),
    )
    .select(["c.id", "c.checkNumber", "c.status", "c.amountCents", "c.depositId", "t.number"])
    .select(["c.receivedOn", "c.returnedOn"])
    .execute();
  const found = new Set(checks.map((check) => check.id));
  if (!ids.every((id) => found.has(id))) throw notFound("check");
  return checks;
}

/** Throws 409 naming the first check that is not approved or is in another deposit. */
function refuseUndepositable(checks: HeldCheck[], depositId: number | null): void {
  for (const { checkNumber, status, depositId: its, number } of checks) {
    const check = `Check ${checkNumber}`;
    if (its !== null && its === depositId) continue;
    if (its !== null) throw new Refusal(409, `${check} is already in deposit ${number}.`);
    if (status === "pending")
      throw new Refusal(409, `${check} is still pending. Approve it before you deposit it.`);
    if (status === "denied") throw new Refusal(409, `${check} was denied and cannot be deposited.`);
    if (status === "returned")
      throw new Refusal(409, `${check} was returned by the bank and cannot be deposited again.`);
  }
}

interface Exchange {
  id: number;
  held: HeldCheck[];
  /** The checks that the deposit should have. */
  checks: HeldCheck[];
}

async function exchangeChecks(tx: Db, admin: Admin, { id, held, checks }: Exchange): Promise<void> {
  refuseUndepositable(checks, id);
  const removed = held.filter((check) => !checks.includes(check));
  const returned = removed.find((check) => check.status === "returned");
  if (returned)
    throw new Refusal(
      409,
      `Check ${returned.checkNumber} was returned and cannot be removed from this deposit.`,
    );
  await tx
    .updateTable("receivedChecks")
    .set({ depositId: null })
    .where("networkId", "=", admin.networkId)
    .where("id", "in", [0, ...removed.map((check) => check.id)])
    .execute();
  await addChecks(
    tx,
    admin,
    id,
    checks.map((check) => check.id),
  );
}

async function addChecks(tx: Db, admin: Admin, depositId: number, ids: number[]): Promise<void> {
  await tx
    .updateTable("receivedChecks")
    .set({ depositId })
    .where("networkId", "=", admin.networkId)
    .where("id", "in", [0, ...ids])
    .where("depositId", "is", null)
    .execute();
}

/** The number and total of checks, for the audit entry. */
const contentsOf = (checks: HeldCheck[]) => ({
  checks: checks.length,
  amount: dollarsText(sum(checks.map(({ amountCents }) => cents(amountCents)))),
});
