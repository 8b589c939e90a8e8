import { type RawBuilder, sql } from "kysely";
import type { PlainDate } from "#kit/domain/calendar.ts";
import type { Actor, Admin } from "#kit/domain/actor.ts";
import { notifyOnCommit, notifyNow } from "#kit/db/changes.ts";
import type { Db } from "#kit/db/database.ts";
import { type JsonRow, RawJson } from "#kit/db/json-query.ts";
import { piecesOf } from "#kit/http/text-in-pieces.ts";
import { pipeline } from "#kit/db/pipeline.ts";
import { notFound, Refusal, refuseViolations } from "#kit/contract/refusal.ts";
import { retryingDeadlocks } from "#kit/db/transaction.ts";
import type { Attorney } from "#people/contract.ts";
import { showDebits } from "#dues/ledger/debits.ts";
import type { Debit } from "#dues/ledger/contract.ts";
import type { CheckPaid, Decisions } from "#payments/contract.ts";
import { decideShares, lockChecks, lockPendingDebits } from "#payments/decide-shares.ts";
import { payingAttorneyOf, sharesOf, totalOf } from "#payments/payments.ts";
import { type CheckToRecord, insertCheckQuery } from "#payments/insert-check.ts";
import { duplicateCheckRefusal } from "#payments/duplicate-checks.ts";

/**
 * Record a check of one attorney as pending: its amounts are reserved, and balances do not change until an administrator
 * decides. Refused as a whole: 404, 422 and 409 like `payingAttorneyOf`; 409 if the same check number is already recorded
 * on one of the debits and not denied, or for the attorney's firm or a colleague without `another_check`. Answers the
 * attorney's record, read by the query from `recordOf`. Source: domain rules §4; the book, rule 17.
 */
export async function recordCheck(
  db: Db,
  actor: Actor,
  { wanted, today }: { wanted: CheckPaid; today: PlainDate },
  recordOf: (attorneyId: number | RawBuilder<unknown>) => RawBuilder<JsonRow<Attorney>>,
): Promise<RawJson<Attorney>> {
  const shares = sharesOf(wanted.payment_hash);
  const check: CheckToRecord = {
    payer: { kind: "owner", attorneyId: actor.attorneyId },
    checkNumber: wanted.check_number,
    amountCents: totalOf(shares),
    receivedOn: today.toString(),
    note: "",
    isAnother: wanted.another_check,
    shares,
    credits: [],
    isApprovedNext: false,
  };
  const insert = () =>
    pipeline(db, insertCheckQuery(actor, check), recordOf(payerQuery(actor, check)));
  const [[posted], [record]] = await refuseViolations(
    {
      payment_allocations_check_once: () =>
        alreadyRecorded(check.checkNumber, " on one of these debits"),
      received_checks_once: () => alreadyRecorded(check.checkNumber),
      received_checks_told_twice: (violation) =>
        duplicateCheckRefusal(check.checkNumber, violation, actor.role),
    },
    db.isTransaction ? insert() : retryingDeadlocks(insert), // the caller retries its own transaction
  );
  const attorneyId = payingAttorneyOf(actor, shares, posted?.debits ?? []);
  if (!posted?.checkId || !record) throw new Error("A valid check was not recorded.");
  if (db.isTransaction) notifyOnCommit(db, actor.networkId, attorneyId);
  else notifyNow(db, { networkId: actor.networkId, attorneyId, topic: "subscriptions" });
  return new RawJson<Attorney>(piecesOf(record.body));
}

/** The attorney whose record is answered: the signed-in one, else the one who owes the first debit. */
function payerQuery(actor: Actor, { shares }: CheckToRecord): number | RawBuilder<unknown> {
  if (actor.role === "attorney") return actor.attorneyId;
  return sql`(select attorney_id from debits
    where network_id = ${actor.networkId} and id = ${shares[0]?.debitId})`;
}

const alreadyRecorded = (checkNumber: string, where = "") =>
  new Refusal(409, `Check ${checkNumber} has already been recorded${where}.`);

/**
 * Approve or deny shares of checks, all or none. Approving lowers the balance by an entry; denying releases the reserved
 * amount. Throws 404 for an unknown share, 409 for a decided one. Answers the affected debits. Source: domain rules §4.
 */
export async function decideChecks(
  tx: Db,
  admin: Admin,
  wanted: Decisions,
): Promise<RawJson<Debit[]>> {
  const { networkId } = admin;
  const ids = Object.keys(wanted.statuses).map(Number);
  const checkIds = [...new Set((await sharesOfChecks(tx, networkId, ids)).map((s) => s.checkId))];
  const checks = await lockChecks(tx, networkId, checkIds);
  await lockPendingDebits(tx, networkId, checkIds);
  const shares = await sharesOfChecks(tx, networkId, ids);
  if (shares.length < ids.length) throw notFound("pending payment");
  const decided = shares.find(({ status }) => status !== "pending");
  if (decided)
    throw new Refusal(
      409,
      `Check ${decided.checkNumber} has already been ${decided.status}. Reload to see it.`,
    );
  for (const decision of ["approved", "denied"] as const) {
    const which = shares.filter(({ id }) => wanted.statuses[id] === decision);
    await decideShares(tx, admin, {
      decision,
      checkIds: [...new Set(which.map(({ checkId }) => checkId))],
      shareIds: which.map(({ id }) => id),
    });
  }
  for (const attorneyId of new Set(checks.flatMap((check) => check.attorneyIds)))
    notifyOnCommit(tx, networkId, attorneyId);
  return await showDebits(
    tx,
    networkId,
    shares.map(({ debitId }) => debitId),
  );
}

/** Shares of checks by their ids. */
async function sharesOfChecks(tx: Db, networkId: number, ids: number[]) {
  const { rows } = await sql<{
    id: number;
    checkId: number;
    debitId: number;
    checkNumber: string;
    status: string;
  }>`
    select s.id, y.received_check_id as check_id, s.debit_id, s.check_number, s.status
    from payment_allocations s
    join payments y on y.network_id = s.network_id and y.id = s.payment_id
    where s.network_id = ${networkId} and s.id = any(${ids}::bigint[]) and y.received_check_id is not null
    order by s.id`.execute(tx);
  return rows;
}
