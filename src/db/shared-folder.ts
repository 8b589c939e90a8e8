import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import { z } from "zod";
import type { Db, Tx } from "#db/database.ts";
import { resultInTime } from "#ops/readiness.ts";
import { isServerSession } from "#db/server-sessions.ts";
import { StartupProblem } from "#ops/startup-problem.ts";
import { inTransaction } from "#db/transaction.ts";

/*
 * Processes on several machines share a database and the folder of report files; a folder that is
 * not shared, or another database's, is noticed by a file in it that names both. Decision 034.
 */

const Marker = z.object({ database: z.uuid(), folder: z.uuid() });
type Marker = z.output<typeof Marker>;

/** The file that names the database and folder that a folder belongs to. */
export const markerIn = (folder: string) => join(folder, "installation.json");

export interface SharedFolder {
  /** As the operator has set it. */
  dataDir: string;
  /** The part of it that processes share. */
  folder: string;
}

/**
 * Check that the folder is the one for this database's report files. A folder without a marker is
 * marked as its own, unless running servers use another one.
 *
 * Throws a StartupProblem when it holds another database's files, or when running servers use another
 * folder; warns when it is not the one that was used last. A folder that this process may not write into
 * stays without a marker.
 */
export async function claimSharedFolder(
  db: Db,
  shared: SharedFolder,
  warn: (line: string) => void,
): Promise<void> {
  const warning = await inTransaction(db, async (tx) => {
    const known = await installationOf(tx); // locked until the commit: one process at a time
    const marker = readMarker(shared.folder);
    if (!marker) return await markFolder(tx, shared, known);
    if (marker.database !== known.databaseId) return await adoptFolder(tx, shared, known, marker);
    return await returnToFolder(tx, shared, known, marker);
  });
  if (warning !== null) warn(warning);
}

/** Why the folder is not, or no longer, the one that holds this database's report files; null when it is. */
export async function whyNotShared(db: Db, { dataDir, folder }: SharedFolder) {
  const known = await resultInTime(
    db.selectFrom("installation").select(["databaseId", "folderId"]).executeTakeFirst(),
  );
  if (!known?.folderId) return null;
  const marker = parseMarker(await readFile(markerIn(folder), "utf8").catch(unlessAbsent));
  if (marker?.database === known.databaseId && marker.folder === known.folderId) return null;
  return marker
    ? `DATA_DIR ${dataDir} is not the folder in which other processes of this database keep report files: mount theirs, and start again.`
    : `DATA_DIR ${dataDir} has lost its file ${markerIn(folder)}: it was emptied, or what belongs there is not mounted. Mount it; if its files are gone for good, start again.`;
}

/** The warning when the embedded database is started where another has been used; null when none was. */
export function whyNotEmbedded({ dataDir, folder }: SharedFolder): string | null {
  return readMarker(folder) === null
    ? null
    : `DATA_DIR ${dataDir} has been used with a database at DATABASE_URL, and this is the embedded one: is DATABASE_URL missing?`;
}

interface Installation {
  databaseId: string;
  folderId: string | null;
}

async function installationOf(tx: Tx): Promise<Installation> {
  await tx
    .insertInto("installation")
    .defaultValues()
    .onConflict((on) => on.doNothing())
    .execute();
  return await tx
    .selectFrom("installation")
    .select(["databaseId", "folderId"])
    .forUpdate()
    .executeTakeFirstOrThrow();
}

async function markFolder(
  tx: Tx,
  shared: SharedFolder,
  known: Installation,
): Promise<string | null> {
  if (known.folderId !== null && (await areServersRunning(tx))) throw otherFolderInUse(shared);
  const folderId = randomUUID();
  if (!writeMarker(shared.folder, { database: known.databaseId, folder: folderId })) return null;
  await tx.updateTable("installation").set({ folderId }).execute();
  return known.folderId === null ? null : folderChanged(shared);
}

/**
 * The folder has another database's marker. A database with records that never had a folder was
 * restored from a backup older than these markers: it adopts the folder.
 */
async function adoptFolder(
  tx: Tx,
  { dataDir, folder }: SharedFolder,
  known: Installation,
  marker: Marker,
): Promise<string> {
  const hasRecords = await tx.selectFrom("networks").select("id").limit(1).executeTakeFirst();
  if (known.folderId !== null || !hasRecords)
    throw new StartupProblem(
      `DATA_DIR ${dataDir} belongs to another database than the one at DATABASE_URL: choose another folder or that database, or, if its files are to belong to this one, remove ${markerIn(folder)} and start again.`,
    );
  const { database: databaseId, folder: folderId } = marker;
  await tx.updateTable("installation").set({ databaseId, folderId }).execute();
  return `DATA_DIR ${dataDir} was marked as another database's and is now this one's, as after restoring an old backup. If the two are not the same, stop, and give this one a folder of its own.`;
}

/** The folder has this database's marker, but may be one that it used earlier. */
async function returnToFolder(
  tx: Tx,
  shared: SharedFolder,
  known: Installation,
  { folder: folderId }: Marker,
): Promise<string | null> {
  if (known.folderId === folderId) return null;
  if (known.folderId !== null && (await areServersRunning(tx))) throw otherFolderInUse(shared);
  await tx.updateTable("installation").set({ folderId }).execute();
  return known.folderId === null ? null : folderChanged(shared);
}

const otherFolderInUse = ({ dataDir }: SharedFolder) =>
  new StartupProblem(
    `DATA_DIR ${dataDir} is not the folder in which the running processes of this database keep report files: mount theirs, or, if the files are to be kept here from now on, stop all processes first.`,
  );

const folderChanged = ({ dataDir }: SharedFolder) =>
  `DATA_DIR ${dataDir} is another folder than the one that was used last, or it was emptied: reports made before are not found in it. If they lie elsewhere, stop, and set DATA_DIR to that place.`;

/** A server's connection sends a heartbeat every ten seconds; that of a machine that vanished is silent. */
async function areServersRunning(tx: Tx): Promise<boolean> {
  const { rows } = await sql`
    select from pg_stat_activity
    where datname = current_database()
      and ${sql.raw(isServerSession)}
      and coalesce(state_change, now()) > now() - interval '1 minute'
    limit 1`.execute(tx);
  return rows.length > 0;
}

/** Null when there is none. Throws a StartupProblem when this process may not read it. */
function readMarker(folder: string): Marker | null {
  try {
    return parseMarker(readFileSync(markerIn(folder), "utf8"));
  } catch (problem) {
    const code = systemCode(problem);
    if (code === null) throw problem;
    if (code === "ENOENT") return null;
    throw new StartupProblem(
      `The file ${markerIn(folder)} cannot be read (${code}): change its permissions; it says whose report files lie beside it.`,
      { cause: problem },
    );
  }
}

function systemCode(problem: unknown): string | null {
  const isOfSystem = problem instanceof Error && "syscall" in problem && "code" in problem;
  return isOfSystem ? String(problem.code) : null;
}

function unlessAbsent(problem: unknown): string {
  if (systemCode(problem) === "ENOENT") return "";
  throw problem;
}

/** An incomplete file, as after a power cut, counts as absent. */
function parseMarker(text: string): Marker | null {
  try {
    return Marker.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

/** Answers whether it was written: a folder may be read-only or full. */
function writeMarker(folder: string, marker: Marker): boolean {
  const temporaryFile = `${markerIn(folder)}.${process.pid}`;
  try {
    writeFileSync(temporaryFile, `${JSON.stringify(marker)}\n`, { mode: 0o600, flush: true });
    renameSync(temporaryFile, markerIn(folder));
    return true;
  } catch (problem) {
    if (systemCode(problem) === null) throw problem;
    if (existsSync(temporaryFile)) rmSync(temporaryFile);
    return false;
  }
}
