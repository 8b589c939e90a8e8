import { spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { accountFor } from "#kit/db/embedded-postgres/account.ts";
import { projectFolder } from "#tests/support/launched.ts";

/*
   The parts of the shipped scripts that run on a machine without PostgreSQL's programs; the rest is in
   backup.rehearsal.ts.
*/

const scripts = readdirSync(join(projectFolder, "deploy")).filter((name) => name.endsWith(".sh"));

test.each(scripts)("%s is valid bash and stops at the first failure", (name) => {
  const path = join(projectFolder, "deploy", name);
  expect(spawnSync("bash", ["-n", path], { encoding: "utf8" })).toMatchObject({ status: 0 });
  expect(readFileSync(path, "utf8")).toMatch(/^#!\/bin\/bash\n[^]*^set -euo pipefail$/m);
  expect(statSync(path).mode & 0o111).toBe(0o111);
});

/** Bash code by name, in place of PostgreSQL's programs. psql's last argument is `question`. */
type Programs = Record<string, string>;

/** A machine on which scripts find these programs first; they log how they were called. */
function machineWith(programs: Programs) {
  const home = mkdtempSync(join(tmpdir(), "scripts-machine-"));
  onTestFinished(() => rmSync(home, { recursive: true }));
  chmodSync(home, 0o755);
  cpSync(join(projectFolder, "deploy"), join(home, "deploy"), { recursive: true });
  const path = (name: string) => join(home, name);
  const [bin, calls] = [path("bin"), path("calls")];
  mkdirSync(bin);
  const account = accountFor(home);
  writeFileSync(calls, "");
  if (account) for (const path of [home, calls]) chownSync(path, account.uid, account.gid);
  for (const [name, body] of Object.entries(programs)) {
    const note = `echo "\${0##*/} $*" >> '${calls}'; question="\${*: -1}"`;
    writeFileSync(join(bin, name), `#!/bin/bash\n${note}\n${body}\n`, { mode: 0o755 });
  }
  return {
    path,
    calls: () => readFileSync(calls, "utf8"),
    run: (script: string, args: string[] = [], env: Record<string, string> = {}) => {
      const { status, stdout, stderr } = spawnSync(join(home, "deploy", script), args, {
        cwd: home,
        env: { PATH: `${bin}:${process.env["PATH"] ?? ""}`, ...env },
        ...(account && { uid: account.uid, gid: account.gid }),
        encoding: "utf8",
      });
      return { status, stdout, stderr };
    },
  };
}

test.each([
  "postgresql://owner:s%40fe%5Cn100%25@db-1,db-2:5433/dues?sslmode=require",
  "postgresql://owner@db-1,db-2:5433/dues?password=s%40fe%5Cn100%25&sslmode=require",
  "postgresql://owner@db-1,db-2:5433/dues?sslmode=require&password=s%40fe%5Cn100%25",
])("backup.sh and restore.sh show the database's password to no other user: %s", (DATABASE_URL) => {
  const note = 'echo "$PGPASSWORD" >> calls';
  const machine = machineWith({
    pg_dump: `${note}; for word; do case $word in --file=*) touch "\${word#*=}" ;; esac; done`,
    pg_restore: note,
    psql: `${note}; case $question in *pg_tables*) echo 0 ;; *"to_regclass"*) echo t ;; esac`,
  });
  expect(machine.run("backup.sh", [machine.path("backups")], { DATABASE_URL }).status).toBe(0);
  const restoring = machine.run("restore.sh", ["a.dump"], { DATABASE_URL });
  expect(restoring.stderr).toMatch(/^It is not a Referral Network database/);
  const lines = machine.calls().split("\n");
  const calls = lines.filter((line) => line.includes("postgresql://"));
  expect(calls.length).toBeGreaterThan(4);
  for (const call of calls)
    expect(call).toMatch(/postgresql:\/\/owner@db-1,db-2:5433\/dues\?sslmode=require(?![^ ])/);
  const passwords = lines.filter((line) => line !== "" && !/^(pg_|psql )/.test(line));
  expect(new Set(passwords)).toEqual(new Set(["s@fe\\n100%"]));
});
