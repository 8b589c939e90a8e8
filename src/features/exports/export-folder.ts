import { mkdir, opendir } from "node:fs/promises";
import type { Config } from "#ops/config.ts";
import { prepareDataDir, prepareReading, readErrorMessage, whyNotWritable } from "#ops/data-dir.ts";
import type { Db } from "#db/database.ts";
import {
  claimSharedFolder,
  type SharedFolder,
  whyNotEmbedded,
  whyNotShared,
} from "#db/shared-folder.ts";
import { exportsFolder } from "#features/exports/export-files.ts";

/** The folder of export files, and what this process does with it. */
export interface ExportFolder extends SharedFolder {
  /** Web processes serve the files. */
  isRead: boolean;
  /** Workers write them. */
  isWritten: boolean;
  /** Whether other machines may share it: not with the embedded database, which is in the same data folder. */
  isShared: boolean;
}

/** Make the folder if it is missing. Throws a StartupProblem when this process cannot use it. */
export function prepareExportFolder(
  config: Pick<Config, "dataDir" | "databaseUrl" | "roles" | "mail">,
): ExportFolder {
  const { dataDir, roles, mail } = config;
  const folder = exportsFolder(dataDir);
  if (roles.worker && mail.smtpUrl === null) prepareDataDir(dataDir); // mail is stored there
  if (roles.worker) prepareDataDir(folder);
  else prepareReading(folder);
  const isShared = config.databaseUrl !== null;
  return { dataDir, folder, isRead: roles.web, isWritten: roles.worker, isShared };
}

/** Make sure that it belongs to this database; `log` receives warnings. Throws a StartupProblem. */
export async function claimExportFolder(
  db: Db,
  shared: ExportFolder,
  log: (line: string) => void,
): Promise<void> {
  if (shared.isShared) return await claimSharedFolder(db, shared, log);
  const warning = whyNotEmbedded(shared);
  if (warning !== null) log(warning);
}

/** Why a running process cannot read or write the folder as it must; null when it can. */
export async function whyNotUsable(db: Db, shared: ExportFolder): Promise<string | null> {
  const { folder, isWritten, isRead } = shared;
  const refused =
    (isWritten ? await whyNotWritableNow(folder) : null) ??
    (isRead ? await whyNotReadable(folder) : null);
  return refused ?? (await whyNotItsFolder(db, shared));
}

/** Why it is not, or no longer, the folder of this database's export files; null when it is. */
export async function whyNotItsFolder(db: Db, shared: ExportFolder): Promise<string | null> {
  return shared.isShared ? await whyNotShared(db, shared) : null;
}

/** Makes the folder first, as preparing an export does. */
async function whyNotWritableNow(folder: string): Promise<string | null> {
  await mkdir(folder, { mode: 0o700 }).catch(() => undefined); // it exists, or the check below says why not
  return await whyNotWritable(folder);
}

async function whyNotReadable(folder: string): Promise<string | null> {
  try {
    await (await opendir(folder)).close();
    return null;
  } catch (problem) {
    return readErrorMessage(problem, folder);
  }
}
