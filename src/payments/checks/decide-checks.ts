import type { ChangeAuthor } from "#kit/domain/actor.ts";
import type { Db } from "#kit/db/database.ts";
import type { RawJson } from "#kit/db/json-query.ts";
import { invalid, notFound, Refusal } from "#kit/contract/refusal.ts";
import { notifyOfAttorneys, showChecks } from "#payments/checks/checks.ts";
import type { Check, CheckDecisions } from "#payments/checks/contract.ts";
import { decideShares, lockChecks, lockPendingDebits } from "#payments/decide-shares.ts";

/**
 * Approve and deny checks, all or nothing. Shares that are already decided stay. Throws 404 for an unknown check, 409 for
 * a decided one. Answers the checks, newest first. A few statements for any number of checks. Source: domain rules §10.
 */
export async function decideWholeChecks(
  tx: Db,
  admin: ChangeAuthor,
  { approve, deny }: CheckDecisions,
): Promise<RawJson<Check[]>> {
  const ids = [...approve, ...deny];
  if (new Set(ids).size < ids.length) throw invalid("approve", "A check may be named only once.");
  const checks = await lockChecks(tx, admin.networkId, ids);
  if (checks.length < ids.length) throw notFound("check");
  const decided = checks.find(({ status }) => status !== "pending");
  if (decided)
    throw new Refusal(
      409,
      `Check ${decided.checkNumber} has already been ${decided.status === "mixed" ? "decided" : decided.status}. Reload to see it.`,
    );
  await lockPendingDebits(tx, admin.networkId, ids);
  await decideShares(tx, admin, { decision: "approved", checkIds: approve });
  await decideShares(tx, admin, { decision: "denied", checkIds: deny });
  notifyOfAttorneys(
    tx,
    admin.networkId,
    checks.flatMap((check) => check.attorneyIds),
  );
  return await showChecks(tx, admin.networkId, ids);
}
