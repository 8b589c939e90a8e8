import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { prepareDataDir, prepareReading, whyNotWritable } from "#ops/data-dir.ts";

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), "referral-network-data-dir-"))));
afterEach(() => {
  chmodSync(folder, 0o700);
  rmSync(folder, { recursive: true });
});

/** The kernel answers ENOSPC to the first byte that is written there. */
const fill = () => symlinkSync("/dev/full", join(folder, `.writable-${hostname()}-${process.pid}`));

test("a data folder that is missing is made, and what tried it out is gone", () => {
  const made = join(folder, "a", "b");
  prepareDataDir(made);
  expect(readdirSync(made)).toEqual([]);
  prepareReading(join(folder, "c"));
  expect(existsSync(join(folder, "c"))).toBe(true);
});

test.runIf(existsSync("/dev/full"))(
  "a full one is refused in a sentence, at the start and later",
  async () => {
    fill();
    const sentence = `No space is left for the data folder ${folder}: free some, or choose another folder with DATA_DIR.`;
    expect(() => prepareDataDir(folder)).toThrow(sentence);
    expect(await whyNotWritable(folder)).toBeNull(); // whoever tried it has cleaned up
    fill();
    expect(await whyNotWritable(folder)).toBe(sentence);
  },
);

test("so is one that is a file, that cannot be made, and that is gone", async () => {
  const file = join(folder, "file");
  writeFileSync(file, "");
  for (const prepare of [prepareDataDir, prepareReading])
    expect(() => prepare(file)).toThrow(
      `DATA_DIR must be a folder, and ${file} leads through a file: choose another with DATA_DIR.`,
    );
  expect(() => prepareDataDir("/proc/none/here")).toThrow(
    /^The data folder \/proc\/none\/here cannot be written \(\w+\): .*DATA_DIR\.$/,
  );
  expect(() => prepareReading("/proc/none/here")).toThrow(
    /^The data folder \/proc\/none\/here cannot be read \(\w+\): .*DATA_DIR\.$/,
  );
  expect(await whyNotWritable(join(folder, "gone"))).toMatch(/ cannot be written \(ENOENT\): /);
});

test("one without the right to write is for reading only", async () => {
  chmodSync(folder, 0o555);
  await withoutRoot(async () => {
    prepareReading(folder);
    expect(() => prepareDataDir(folder)).toThrow(/cannot be written \(EACCES\)/);
    expect(await whyNotWritable(folder)).toMatch(/cannot be written \(EACCES\)/);
  });
});

/** Nothing keeps root from writing, so root does it as nobody. */
async function withoutRoot(work: () => Promise<void>): Promise<void> {
  const isRoot = process.getuid?.() === 0;
  if (isRoot) process.seteuid?.("nobody");
  try {
    await work();
  } finally {
    if (isRoot) process.seteuid?.(0);
  }
}
