import type { PoolClient } from "pg";
import { sql } from "kysely";
import { dayIn } from "#domain/calendar.ts";
import type { Day } from "#domain/day.ts";
import type { JobContext } from "#jobs/job.ts";
import { isLostConnection } from "#db/lost-connection.ts";
import { claim, type Claimed } from "#features/exports/claim-export.ts";
import type { ExportKey } from "#features/exports/prepare-job.ts";
import {
  beginFile,
  exportPath,
  removeEarlierAttempts,
  type UnfinishedFile,
} from "#features/exports/export-files.ts";
import { failureOf, isFileProblem } from "#features/exports/failures.ts";
import { neverBusy, type DatabaseLoad } from "#features/exports/throttle.ts";
import { fileNameOf } from "#features/exports/file-name.ts";
import { reportProgress, settle } from "#features/exports/export-outcome.ts";
import { writeExport, type Written } from "#features/exports/write-export.ts";

type Preparing = Pick<
  JobContext,
  "db" | "sessions" | "now" | "log" | "dataDir" | "whyNotItsFolder"
>;

const tellEveryMs = 1_000;
const cancelEveryMs = 500;

/**
 * Prepare a report that waits: its file is complete, or absent. Every second it says how far it is,
 * and learns whether it was cancelled. It gives way to `others`. Throws when it is to be begun again:
 * when `stopping` aborts, the database goes away, or the folder is not the one that the files belong
 * in, as when a mount is lost.
 */
export async function prepareReport(
  context: Preparing,
  key: ExportKey,
  stopping: AbortSignal,
  others: DatabaseLoad = neverBusy,
): Promise<void> {
  const astray = await context.whyNotItsFolder?.();
  if (astray) throw new Error(astray);
  const client = await context.sessions.connect();
  let isBroken = true;
  try {
    const claimed = await claim(context.db, key);
    isBroken = claimed !== null && !(await prepare(context, client, claimed, { stopping, others }));
  } finally {
    client.release(isBroken);
  }
}

/** What stops an attempt before its end. */
interface Brakes {
  /** The process stops: the report is given back. */
  stopping: AbortSignal;
  /** It, or the report was cancelled. */
  signal: AbortSignal;
}

/** Answers whether the connection is still of use. */
async function prepare(
  context: Preparing,
  client: PoolClient,
  claimed: Claimed,
  { stopping, others }: { stopping: AbortSignal; others: DatabaseLoad },
): Promise<boolean> {
  const cancelled = new AbortController();
  const brakes = { stopping, signal: AbortSignal.any([stopping, cancelled.signal]) };
  const progress: Written = { rows: 0, total: null };
  const teller = tellEverySecond(context, claimed, progress, () => cancelled.abort());
  try {
    const file = await writeAside(context, client, claimed, { brakes, progress, others });
    await teller.stop();
    await publish(context, claimed, file, progress.rows);
    return true;
  } catch (problem) {
    await teller.stop();
    await giveUp(context, claimed, problem, brakes);
    return false;
  }
}

async function writeAside(
  context: Preparing,
  client: PoolClient,
  claimed: Claimed,
  { brakes, progress, others }: { brakes: Brakes; progress: Written; others: DatabaseLoad },
): Promise<UnfinishedFile> {
  const { signal } = brakes;
  await removeEarlierAttempts(context.dataDir, claimed);
  const file = await beginFile(exportPath(context.dataDir, claimed));
  const { networkId, timeZone } = claimed;
  const writing = {
    db: context.db,
    client,
    choices: claimed,
    about: { networkId, timeZone, today: todayOf(context, claimed) },
    write: async (bytes: Buffer) => {
      signal.throwIfAborted();
      await file.write(bytes);
    },
    onProgress: (written: Written) => Object.assign(progress, written),
    others,
  };
  try {
    await whileCancellable(context, client, signal, async () => {
      progress.rows = await writeExport(writing);
    });
    return file;
  } catch (problem) {
    await file.discard();
    throw problem;
  }
}

/** The database may be sorting for a minute before the first row: it is told to stop, not waited for. */
async function whileCancellable(
  { db }: Preparing,
  client: PoolClient,
  signal: AbortSignal,
  work: () => Promise<void>,
): Promise<void> {
  await noticeDeath(client);
  const { rows } = await client.query<{ pid: number }>("select pg_backend_pid() as pid");
  const ask = () => {
    sql`select pg_cancel_backend(${rows[0]?.pid})`.execute(db).catch(() => undefined); // the next write stops it
  };
  let again: NodeJS.Timeout | undefined;
  // Asked again until it has stopped: between two statements the database has nothing to cancel.
  const cancel = () => {
    ask();
    again = setInterval(ask, cancelEveryMs);
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
 * Have the database notice within seconds when this process is gone, its machine included, even while
 * it sorts or waits: nobody needs the answer any more. Not every platform can; there it takes until the
 * query ends.
 */
async function noticeDeath(client: PoolClient): Promise<void> {
  await client.query(
    "set tcp_keepalives_idle = 10; set tcp_keepalives_interval = 5; set tcp_keepalives_count = 3",
  );
  await client.query("set client_connection_check_interval = '1s'").catch(() => undefined);
}

/**
 * The file gets its name once it is whole and on disk, then the record says so. When the database
 * goes away over that, the record may say so or not: the file stays, and the next attempt, if there
 * is one, removes it.
 */
async function publish(
  context: Preparing,
  claimed: Claimed,
  file: UnfinishedFile,
  rowsWritten: number,
): Promise<void> {
  const fileBytes = await finished(file);
  const fileName = fileNameOf(claimed, todayOf(context, claimed));
  const ready = { status: "ready", fileName, fileBytes, rowsWritten } as const;
  if (!(await settle(context.db, claimed, ready))) await file.discard();
}

async function finished(file: UnfinishedFile): Promise<number> {
  try {
    return await file.finish();
  } catch (problem) {
    await file.discard();
    throw problem;
  }
}

/** Throws when it is to be begun again; one whose database went away stays as it is until then. */
async function giveUp(
  { db, log, dataDir }: Preparing,
  claimed: Claimed,
  problem: unknown,
  { stopping, signal }: Brakes,
): Promise<void> {
  if (stopping.aborted) await settle(db, claimed, { status: "queued" });
  if (stopping.aborted || (!signal.aborted && isLostConnection(problem))) throw problem;
  if (signal.aborted) return;
  // The system names a path for some of its errors only: a full disk is not among them.
  const done = isFileProblem(problem) ? `written to ${exportPath(dataDir, claimed)}` : "prepared";
  log(`Report ${claimed.id} could not be ${done}: ${String(problem)}`);
  await settle(db, claimed, { status: "failed", ...failureOf(problem) });
}

function todayOf({ now }: Preparing, { timeZone }: Claimed): Day {
  return dayIn(timeZone, now()).toString();
}

/** Say every second how far an attempt is; `onCancelled` when it is nobody's any more. */
function tellEverySecond(
  { db, log }: Preparing,
  claimed: Claimed,
  progress: Written,
  onCancelled: () => void,
): { stop(): Promise<void> } {
  let telling: Promise<void> | null = null;
  const tell = async () => {
    try {
      const { rows: rowsWritten, total: totalRows } = progress;
      if (!(await reportProgress(db, claimed, { rowsWritten, totalRows }))) onCancelled();
    } catch (problem) {
      log(`The progress of report ${claimed.id} could not be noted: ${String(problem)}`);
    }
    telling = null;
  };
  const timer = setInterval(() => void (telling ??= tell()), tellEveryMs);
  return {
    stop: async () => {
      clearInterval(timer);
      await telling;
    },
  };
}
