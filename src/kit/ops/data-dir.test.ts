import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { prepareDataDir } from "#kit/ops/data-dir.ts";

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), "referral-network-data-dir-"))));
afterEach(() => {
  chmodSync(folder, 0o700);
  rmSync(folder, { recursive: true });
});

test("a missing data folder is created, and the test file is removed", () => {
  const made = join(folder, "a", "b");
  prepareDataDir(made);
  expect(readdirSync(made)).toEqual([]);
});

test.runIf(existsSync("/dev/full"))("a full one is refused with a message", () => {
  // The kernel answers ENOSPC to the first byte that is written there.
  symlinkSync("/dev/full", join(folder, `.writable-${process.pid}`));
  expect(() => prepareDataDir(folder)).toThrow(
    `No space is left for the data folder ${folder}. Free some space, or choose another folder with DATA_DIR.`,
  );
  expect(readdirSync(folder)).toEqual([]); // the test file was removed
});

test("so is one that is a file, and one that cannot be created", () => {
  const file = join(folder, "file");
  writeFileSync(file, "");
  expect(() => prepareDataDir(file)).toThrow(
    `DATA_DIR must be a folder, but ${file} leads through a file. Choose another folder with DATA_DIR.`,
  );
  expect(() => prepareDataDir("/proc/none/here")).toThrow(
    /^The data folder \/proc\/none\/here cannot be written \(\w+\)\. .*DATA_DIR\.$/,
  );
});

test("so is one without write permission", () => {
  chmodSync(folder, 0o555);
  withoutRoot(() => expect(() => prepareDataDir(folder)).toThrow(/cannot be written \(EACCES\)/));
});

/** Root may write anywhere, so root runs it as nobody. */
function withoutRoot(work: () => void): void {
  const isRoot = process.getuid?.() === 0;
  if (isRoot) process.seteuid?.("nobody");
  try {
    work();
  } finally {
    if (isRoot) process.seteuid?.(0);
  }
}
