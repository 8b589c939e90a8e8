import pg, { type ClientBase, type PoolClient } from "pg";
import { sql } from "kysely";
import { dayIn } from "#kit/domain/calendar.ts";
import type { Day } from "#kit/domain/day.ts";
import type { JobContext } from "#kit/jobs/job.ts";
import type { Db } from "#kit/db/database.ts";
import { isLostConnection } from "#kit/db/lost-connection.ts";
import { claimExport, type ClaimedExport } from "#office/reports/claim-export.ts";
import type { ExportKey } from "#office/reports/prepare-job.ts";
import { addPiece, removePieces } from "#office/reports/file-pieces.ts";
import { failureOf } from "#office/reports/failures.ts";
import { exportFileName } from "#office/reports/file-name.ts";
import { reportProgress, recordExportOutcome } from "#office/reports/export-outcome.ts";
import { writeExport, type WriteProgress } from "#office/reports/write-export.ts";

type PrepareContext = Pick<
  JobContext,
  "db" | "sessions" | "standbys" | "onReportRead" | "now" | "log"
>;

const progressEveryMs = 1_000;
const cancelEveryMs = 500;

/**
 * Prepare a queued export: its file is complete or absent. Records progress and checks for cancellation every second.
 * Throws if it must be retried: when `stopping` aborts, or the database connection is lost.
 */
export async function prepareExport(
  context: PrepareContext,
  key: ExportKey,
  stopping: AbortSignal,
): Promise<void> {
  const client = await context.sessions.connect();
  let isBroken = true;
  try {
    const claimed = await claimExport(context.db, key);
    isBroken = claimed !== null && !(await prepare(context, client, claimed, stopping));
  } finally {
    client.release(isBroken);
  }
}

/** What ends an attempt early. */
interface StopSignals {
  /** The process stops: queue the export again. */
  stopping: AbortSignal;
  /** The process stops, or the export was cancelled. */
  signal: AbortSignal;
}

/** Returns whether the connection is still usable. */
async function prepare(
  context: PrepareContext,
  client: PoolClient,
  claimed: ClaimedExport,
  stopping: AbortSignal,
): Promise<boolean> {
  const cancelled = new AbortController();
  const cancel = () => cancelled.abort();
  const stopSignals = { stopping, signal: AbortSignal.any([stopping, cancelled.signal]) };
  const progress: WriteProgress = { rows: 0, total: null };
  const progressReports = startProgressReports(context, claimed, progress, cancel);
  try {
    const writing = { stopSignals, cancel, progress };
    const fromStandby = await writeFromStandby(context, claimed, writing);
    const fileBytes =
      fromStandby ?? (await writeFile(context, { client, db: context.db }, claimed, writing));
    context.onReportRead?.(fromStandby === null ? "primary" : "standby");
    await progressReports.stop();
    await publish(context, claimed, { fileBytes, rowsWritten: progress.rows });
    return true;
  } catch (problem) {
    await progressReports.stop();
    await handleFailure(context, claimed, problem, stopSignals);
    return false;
  }
}

interface Writing {
  stopSignals: StopSignals;
  /** Called if the export was cancelled, or another attempt has begun. */
  cancel: () => void;
  progress: WriteProgress;
}

/**
 * Returns the file's bytes, or null if the primary must be read: no standby has everything committed when the report
 * was begun, or it broke off, for example because a long query blocks replay. A standby that shows this attempt has
 * everything that was committed earlier.
 */
async function writeFromStandby(
  { standbys, ...context }: PrepareContext,
  claimed: ClaimedExport,
  writing: Writing,
): Promise<number | null> {
  if (!standbys) return null;
  const { signal } = writing.stopSignals;
  const passOn = (why: string) =>
    context.log(`Report ${claimed.id} is read from the primary, no standby: ${why}`);
  const found = await standbys.connect((client) => showsAttempt(client, claimed), signal);
  if (typeof found === "string") {
    passOn(found);
    return null;
  }
  let isBroken = true;
  try {
    const fileBytes = await writeFile(context, found, claimed, writing);
    isBroken = false;
    return fileBytes;
  } catch (problem) {
    if (signal.aborted || !isOfDatabase(problem)) throw problem;
    passOn(`${found.name}: ${problem.message}`);
    return null;
  } finally {
    found.client.release(isBroken);
  }
}

async function showsAttempt(client: ClientBase, claimed: ClaimedExport): Promise<boolean> {
  const { rowCount } = await client.query(
    "select from data_exports where network_id = $1 and id = $2 and attempt = $3",
    [claimed.networkId, claimed.id, claimed.attempt],
  );
  return rowCount === 1;
}

const isOfDatabase = (problem: unknown): problem is Error =>
  problem instanceof pg.DatabaseError || isLostConnection(problem);

/** What an export is read from: its own connection, and others for concurrent work. */
interface Source {
  client: PoolClient;
  db: Db;
}

/** Returns the file's bytes, which are always written on the primary. */
async function writeFile(
  context: PrepareContext,
  { client, db }: Source,
  claimed: ClaimedExport,
  { stopSignals: { signal }, cancel, progress }: Writing,
): Promise<number> {
  Object.assign(progress, { rows: 0, total: null });
  await removePieces(context.db, claimed);
  const { networkId, timeZone } = claimed;
  let fileBytes = 0;
  const writing = {
    db,
    client,
    choices: claimed,
    context: { networkId, timeZone, today: todayOf(context, claimed) },
    write: async (bytes: Buffer) => {
      signal.throwIfAborted();
      if (!(await addPiece(context.db, claimed, fileBytes, bytes))) cancel();
      signal.throwIfAborted();
      fileBytes += bytes.length;
    },
    onProgress: (written: WriteProgress) => Object.assign(progress, written),
  };
  await runCancellable(db, client, signal, async () => {
    progress.rows = await writeExport(writing);
  });
  return fileBytes;
}

/** The database may sort for a minute before the first row, so cancel its query rather than wait. */
async function runCancellable(
  db: Db,
  client: PoolClient,
  signal: AbortSignal,
  work: () => Promise<void>,
): Promise<void> {
  await detectLostClient(client);
  const { rows } = await client.query<{ pid: number }>("select pg_backend_pid() as pid");
  const requestCancel = () => {
    sql`select pg_cancel_backend(${rows[0]?.pid})`.execute(db).catch(() => undefined); // the next write stops it
  };
  let again: NodeJS.Timeout | undefined;
  // Repeated until it stops: between two statements there is nothing to cancel.
  const cancel = () => {
    requestCancel();
    again = setInterval(requestCancel, cancelEveryMs);
  };
  signal.addEventListener("abort", cancel);
  try {
    signal.throwIfAborted();
    await work();
    signal.throwIfAborted();
  } finally {
    clearInterval(again);
    signal.removeEventListener("abort", cancel);
  }
}

/**
 * Makes the database notice within seconds that this process or its machine is gone, even while it sorts or waits, and
 * end the query. Not every platform can; there it takes until the query ends.
 */
async function detectLostClient(client: PoolClient): Promise<void> {
  await client.query(
    "set tcp_keepalives_idle = 10; set tcp_keepalives_interval = 5; set tcp_keepalives_count = 3",
  );
  await client.query("set client_connection_check_interval = '1s'").catch(() => undefined);
}

/** If the connection is lost here, the record may be ready or not; the pieces stay until the next attempt, if any. */
async function publish(
  context: PrepareContext,
  claimed: ClaimedExport,
  file: { fileBytes: number; rowsWritten: number },
): Promise<void> {
  const fileName = exportFileName(claimed, todayOf(context, claimed));
  const ready = { status: "ready", fileName, ...file } as const;
  if (!(await recordExportOutcome(context.db, claimed, ready)))
    await removePieces(context.db, claimed);
}

/** Throws if the export must be retried. If the connection was lost, its record stays unchanged until then. */
async function handleFailure(
  { db, log }: PrepareContext,
  claimed: ClaimedExport,
  problem: unknown,
  { stopping, signal }: StopSignals,
): Promise<void> {
  if (!signal.aborted && isLostConnection(problem)) throw problem;
  // The record first: it may be ready if only the answer of its commit was lost.
  if (stopping.aborted) await recordExportOutcome(db, claimed, { status: "queued" });
  await removePieces(db, claimed);
  if (stopping.aborted) throw problem;
  if (signal.aborted) return;
  log(`Report ${claimed.id} could not be prepared: ${String(problem)}`);
  await recordExportOutcome(db, claimed, { status: "failed", ...failureOf(problem) });
}

function todayOf({ now }: PrepareContext, { timeZone }: ClaimedExport): Day {
  return dayIn(timeZone, now()).toString();
}

/** Record the progress of an attempt every second; call `onCancelled` if it was cancelled or replaced. */
function startProgressReports(
  { db, log }: PrepareContext,
  claimed: ClaimedExport,
  progress: WriteProgress,
  onCancelled: () => void,
): { stop(): Promise<void> } {
  let pending: Promise<void> | null = null;
  const report = async () => {
    try {
      const { rows: rowsWritten, total: totalRows } = progress;
      if (!(await reportProgress(db, claimed, { rowsWritten, totalRows }))) onCancelled();
    } catch (problem) {
      log(`The progress of report ${claimed.id} could not be recorded: ${String(problem)}`);
    }
    pending = null;
  };
  const timer = setInterval(() => void (pending ??= report()), progressEveryMs);
  return {
    stop: async () => {
      clearInterval(timer);
      await pending;
    },
  };
}
