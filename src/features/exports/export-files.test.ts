import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { beginFile } from "#features/exports/export-files.ts";

async function aFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "rn-export-files-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

test("a file that comes to nothing leaves what was there before, and no part of itself", async () => {
  const folder = await aFolder();
  const path = join(folder, "aging.csv");
  await writeFile(path, "yesterday's");
  const file = await beginFile(path);
  await file.write(Buffer.from("half of today's"));
  await file.discard();
  expect(await readdir(folder)).toEqual(["aging.csv"]);
  expect(await readFile(path, "utf8")).toBe("yesterday's");
});

test("a finished file stays what its name stands for, unless it is removed", async () => {
  const folder = await aFolder();
  const path = join(folder, "1-1.csv");
  await writeFile(path, "yesterday's");
  const file = await beginFile(path);
  await file.write(Buffer.from("today's"));
  await file.finish();
  await file.discard();
  expect(await readFile(path, "utf8")).toBe("today's");
  await file.remove();
  expect(await readdir(folder)).toEqual([]);
});
