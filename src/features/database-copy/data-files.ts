import { createHash } from "node:crypto";
import { createReadStream, existsSync } from "node:fs";
import { copyFile, mkdir, open, readdir, rename } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { exportsFolder } from "#features/exports/export-files.ts";
import { Refusal } from "#contract/refusal.ts";
import { markerIn } from "#db/shared-folder.ts";

/** The subfolders that go with the database: exports, and mail that is stored instead of sent. */
const folders = ["exports", "outbox"];

/**
 * Copy the files that belong to a database from one data folder into another. Each is compared and
 * has its name only once it is whole; doing it again does no harm. Throws 409 when another file has a
 * name already. Answers how many there are now.
 */
export async function copyDataFiles(
  from: string,
  to: string,
  onProgress: (doing: string, share: number) => void,
): Promise<number> {
  const files = await filesIn(from);
  for (const [index, file] of files.entries()) {
    onProgress("Copying report files", index / files.length);
    await copyOnce(join(from, file), join(to, file));
  }
  return files.length;
}

/** Their paths within the data folder, in order; unfinished ones do not count, nor whose folder it is. */
export async function filesIn(dataDir: string): Promise<string[]> {
  const found = await Promise.all(
    folders.map(async (folder) => {
      const path = join(dataDir, folder);
      if (!existsSync(path)) return [];
      const entries = await readdir(path, { recursive: true, withFileTypes: true });
      return entries
        .filter((entry) => entry.isFile() && !entry.name.endsWith(".part"))
        .map((entry) => relative(dataDir, join(entry.parentPath, entry.name)));
    }),
  );
  const mark = relative(dataDir, markerIn(exportsFolder(dataDir)));
  return found
    .flat()
    .filter((file) => file !== mark)
    .toSorted();
}

async function copyOnce(from: string, to: string): Promise<void> {
  const wanted = await digestOf(from);
  if (existsSync(to)) {
    if ((await digestOf(to)) === wanted) return;
    throw new Refusal(
      409,
      `Nothing was copied: ${to} is there already and is another file than ${from}: remove it, or name another folder.`,
    );
  }
  await mkdir(dirname(to), { recursive: true, mode: 0o700 });
  const part = `${to}.part`;
  await copyFile(from, part);
  await sync(part);
  if ((await digestOf(part)) !== wanted)
    throw new Refusal(
      409,
      `${from} could not be copied whole to ${to}: is the disk full or broken?`,
    );
  await rename(part, to);
  await sync(dirname(to));
}

async function digestOf(path: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const piece of createReadStream(path)) hash.update(piece);
  return hash.digest("hex");
}

/** Its bytes, or a folder's names, are on disk then. */
async function sync(path: string): Promise<void> {
  const file = await open(path, "r");
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}
