import { sql } from "kysely";
import type { Db } from "#kit/db/database.ts";
import { recordExportOutcome } from "#office/reports/export-outcome.ts";
import type { Filters } from "#kit/list/define-list.ts";
import type { ExportKey } from "#office/reports/prepare-job.ts";

const maxTakeovers = 4;

/** An export that this process prepares, until another attempt begins. */
export type ClaimedExport = NonNullable<Awaited<ReturnType<typeof startAttempt>>>;

/** Begin another attempt. Returns null if the export is done, cancelled, or has failed too often. */
export async function claimExport(db: Db, key: ExportKey): Promise<ClaimedExport | null> {
  const claimed = await startAttempt(db, key);
  if (!claimed) return null;
  if (claimed.takeovers <= maxTakeovers) return claimed;
  await recordExportOutcome(db, claimed, {
    status: "failed",
    failureCause: "stopped",
    failureReason:
      "It was started five times, and each time the server stopped before it was done.",
  });
  return null;
}

async function startAttempt(db: Db, { networkId, id }: ExportKey) {
  return await db
    .updateTable("dataExports as x")
    .from("networks as n")
    .set({
      status: "running",
      attempt: sql<number>`x.attempt + 1`,
      takeovers: sql<number>`x.takeovers + case x.status when 'running' then 1 else 0 end`,
      rowsWritten: 0,
      totalRows: null,
      startedAt: sql<string>`now()`,
    })
    .whereRef("n.id", "=", "x.networkId")
    .where("x.networkId", "=", networkId)
    .where("x.id", "=", id)
    .where("x.status", "in", ["queued", "running"])
    .returning(["x.networkId", "x.id", "x.attempt", "x.takeovers", "x.reportType", "x.columns"])
    .returning(["x.attorneyId", "x.timeFilterMode", "x.firstOn", "x.lastOn", "x.requestedBy"])
    .returning((is) => is.ref("x.filters").$castTo<Filters | null>().as("filters"))
    .returning(["n.name as networkName", "n.timeZone"])
    .executeTakeFirst();
}
