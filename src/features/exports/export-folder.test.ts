import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { prepareExportFolder } from "#features/exports/export-folder.ts";
import { readConfig } from "#ops/config.ts";

let dataDir: string;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), "referral-network-reports-"));
  mkdirSync(join(dataDir, "exports"));
});
afterEach(() => rmSync(dataDir, { recursive: true }));

const starting = (environment: Record<string, string>) =>
  prepareExportFolder(
    readConfig({
      DATABASE_URL: "postgres://db.example/referral_network",
      APP_SECRET: "a secret of thirty-two characters",
      DATA_DIR: dataDir,
      ...environment,
    }),
  );

/** The kernel answers ENOSPC to the first byte that is written there. */
const fill = (folder: string) =>
  symlinkSync("/dev/full", join(folder, `.writable-${hostname()}-${process.pid}`));

test.runIf(existsSync("/dev/full"))(
  "a worker needs no more of DATA_DIR than the folder of reports, unless it keeps mail there",
  () => {
    fill(dataDir); // as where only exports is mounted for writing
    expect(starting({ SMTP_URL: "smtp://mail.example", MAIL_FROM: "a@example.org" })).toMatchObject(
      { folder: join(dataDir, "exports"), isWritten: true },
    );
    expect(() => starting({})).toThrow(/^No space is left for the data folder \S+: /);
    fill(join(dataDir, "exports"));
    expect(() => starting({ SMTP_URL: "smtp://mail.example", MAIL_FROM: "a@example.org" })).toThrow(
      /^No space is left for the data folder \S+\/exports: /,
    );
  },
);
