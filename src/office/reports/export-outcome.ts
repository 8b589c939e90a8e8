import { sql } from "kysely";
import { audit } from "#kit/db/audit.ts";
import { notifyOnCommit } from "#kit/db/changes.ts";
import type { Db } from "#kit/db/database.ts";
import { inTransaction } from "#kit/db/transaction.ts";
import { retentionDays } from "#office/reports/exports.ts";
import type { FailureCause } from "#office/reports/failures.ts";

/** One attempt at one export. Only the current attempt may change the record. */
export interface Attempt {
  networkId: number;
  id: number;
  attempt: number;
}

export type Outcome =
  | { status: "ready"; fileName: string; fileBytes: number; rowsWritten: number }
  | { status: "failed"; failureReason: string; failureCause: FailureCause }
  /** Queued again, for another process. */
  | { status: "queued" };

/** Record the outcome of an attempt. Returns false if the export was cancelled or another attempt has begun. */
export async function recordExportOutcome(
  db: Db,
  attempt: Attempt,
  outcome: Outcome,
): Promise<boolean> {
  const isDone = outcome.status !== "queued";
  return await changeAttempt(db, attempt, async (tx) => {
    const updated = await updateAttempt(tx, attempt)
      .set({
        ...outcome,
        ...(isDone && {
          finishedAt: sql<string>`now()`,
          expiresAt: sql<string>`now() + make_interval(days => ${retentionDays})`,
        }),
        ...(outcome.status === "ready" && { totalRows: outcome.rowsWritten }),
      })
      .executeTakeFirst();
    if (updated.numUpdatedRows === 0n) return false;
    if (isDone)
      await audit(tx, exportsActor(attempt.networkId), {
        action: outcome.status === "ready" ? "prepared report" : "failed to prepare report",
        recordType: "data export",
        recordId: attempt.id,
        after: outcome,
      });
    return true;
  });
}

/** Record the progress of an attempt. Returns the same as `recordExportOutcome`. */
export async function reportProgress(
  db: Db,
  attempt: Attempt,
  progress: { rowsWritten: number; totalRows: number | null },
): Promise<boolean> {
  return await changeAttempt(db, attempt, async (tx) => {
    const updated = await updateAttempt(tx, attempt).set(progress).executeTakeFirst();
    return updated.numUpdatedRows > 0n;
  });
}

async function changeAttempt(
  db: Db,
  { networkId }: Attempt,
  work: (tx: Db) => Promise<boolean>,
): Promise<boolean> {
  return await inTransaction(db, async (tx) => {
    const isOurs = await work(tx);
    if (isOurs) notifyOnCommit(tx, networkId, null, "exports");
    return isOurs;
  });
}

function updateAttempt(tx: Db, { networkId, id, attempt }: Attempt) {
  return tx
    .updateTable("dataExports")
    .where("networkId", "=", networkId)
    .where("id", "=", id)
    .where("attempt", "=", attempt)
    .where("status", "=", "running");
}

/** The job's name in the audit trail. */
export function exportsActor(networkId: number) {
  return { networkId, userId: null, name: "Data exports" };
}
