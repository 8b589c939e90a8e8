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

/** Where report files lie, and what this process does with them. */
export interface ReportFolder extends SharedFolder {
  /** A process with web hands them out. */
  isRead: boolean;
  /** A worker writes them. */
  isWritten: boolean;
  /** Whether other machines may have a part in it: the embedded database is in the folder itself. */
  isShared: boolean;
}

/** Make the folder if it is missing. Throws a StartupProblem when it is of no use to this process. */
export function prepareReportFolder(
  config: Pick<Config, "dataDir" | "databaseUrl" | "roles" | "mail">,
): ReportFolder {
  const { dataDir, roles, mail } = config;
  const folder = exportsFolder(dataDir);
  if (roles.worker && mail.smtpUrl === null) prepareDataDir(dataDir); // mail is kept there
  if (roles.worker) prepareDataDir(folder);
  else prepareReading(folder);
  const isShared = config.databaseUrl !== null;
  return { dataDir, folder, isRead: roles.web, isWritten: roles.worker, isShared };
}

/** Make sure that it is this database's; `tell` is told of what is odd. Throws a StartupProblem. */
export async function claimReportFolder(
  db: Db,
  shared: ReportFolder,
  tell: (line: string) => void,
): Promise<void> {
  if (shared.isShared) return await claimSharedFolder(db, shared, tell);
  const odd = whyNotEmbedded(shared);
  if (odd !== null) tell(odd);
}

/** Why a running process cannot do with it what it must; null when it can. */
export async function whyNotUsable(db: Db, shared: ReportFolder): Promise<string | null> {
  const { folder, isWritten, isRead } = shared;
  const refused =
    (isWritten ? await whyNotWritableNow(folder) : null) ??
    (isRead ? await whyNotReadable(folder) : null);
  return refused ?? (await whyNotItsFolder(db, shared));
}

/** Why it is not, or no longer, the one that holds this database's report files; null when it is. */
export async function whyNotItsFolder(db: Db, shared: ReportFolder): Promise<string | null> {
  return shared.isShared ? await whyNotShared(db, shared) : null;
}

/** A report would make the folder, too, if only that is missing. */
async function whyNotWritableNow(folder: string): Promise<string | null> {
  await mkdir(folder, { mode: 0o700 }).catch(() => undefined); // it is there, or writing tells why not
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
