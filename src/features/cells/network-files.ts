import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { beginFile, exportsFolder } from "#features/exports/export-files.ts";

/** A finished file of a network's reports. */
export interface NetworkFile {
  name: string;
  bytes: number;
}

const folderOf = (dataDir: string, networkId: number) =>
  join(exportsFolder(dataDir), String(networkId));

/** The report files of a network by name; those that are being written are none. */
export async function networkFiles(dataDir: string, networkId: number): Promise<NetworkFile[]> {
  const folder = folderOf(dataDir, networkId);
  const names = await readdir(folder).catch(unlessMissing);
  const files: NetworkFile[] = [];
  for (const name of (names ?? []).toSorted()) {
    if (!name.endsWith(".csv")) continue;
    const found = await stat(join(folder, name)).catch(unlessMissing); // it may have expired just now
    if (found) files.push({ name, bytes: found.size });
  }
  return files;
}

/**
 * Copy the report files of a network into another data folder. Each gets its name once it is complete, on
 * disk and the same by its checksum; one that is there already, the same, is left as it is: killed at any
 * moment this can be run again. Those that have gone meanwhile are left out. Answers how many were copied.
 */
export async function copyNetworkFiles(
  from: string,
  to: string,
  networkId: number,
  onProgress: (done: number, all: number) => void = () => undefined,
): Promise<{ copied: number; alreadyThere: number }> {
  const files = await networkFiles(from, networkId);
  const there = new Map(
    (await networkFiles(to, networkId)).map(({ name, bytes }) => [name, bytes]),
  );
  let copied = 0;
  let alreadyThere = 0;
  for (const [at, { name, bytes }] of files.entries()) {
    const source = join(folderOf(from, networkId), name);
    const target = join(folderOf(to, networkId), name);
    const isThere = there.get(name) === bytes && (await isSame(source, target));
    if (isThere) alreadyThere += 1;
    else if (await copyFile(source, target)) copied += 1;
    onProgress(at + 1, files.length);
  }
  return { copied, alreadyThere };
}

/** Remove the report files of a network, half-written ones included. */
export async function removeNetworkFiles(dataDir: string, networkId: number): Promise<void> {
  await rm(folderOf(dataDir, networkId), { recursive: true, force: true });
}

/** Answers false where the source has gone. */
async function copyFile(source: string, target: string): Promise<boolean> {
  const file = await beginFile(target);
  try {
    for await (const piece of createReadStream(source)) await file.write(piece);
    await file.finish();
    if (!(await isSame(source, target)))
      throw new Error(`The copy ${target} is not the same as ${source}.`);
    return true;
  } catch (problem) {
    await file.remove();
    return unlessMissing(problem) !== null;
  }
}

const isSame = async (one: string, other: string) =>
  (await checksumOf(one)) === (await checksumOf(other));

async function checksumOf(path: string): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(path), hash);
  return hash.digest("hex");
}

function unlessMissing(problem: unknown): null {
  if (problem instanceof Error && "code" in problem && problem.code === "ENOENT") return null;
  throw problem;
}
