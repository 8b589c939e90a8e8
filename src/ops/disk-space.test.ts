import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { watchDiskSpace } from "#ops/disk-space.ts";

test("says how much of a folder's disk is free, and nothing of a folder that is gone", async () => {
  const folder = mkdtempSync(join(tmpdir(), "referral-network-disk-"));
  try {
    const space = await watchDiskSpace(folder)();
    expect(space?.freeBytes).toBeGreaterThan(0);
    expect(space?.sizeBytes).toBeGreaterThan(space?.freeBytes ?? 0);
  } finally {
    rmSync(folder, { recursive: true });
  }
  expect(await watchDiskSpace(folder)()).toBeNull();
});
