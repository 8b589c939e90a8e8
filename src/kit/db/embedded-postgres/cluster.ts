import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import {
  chownSync,
  closeSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import { type Account, unprivilegedAccount } from "#kit/db/embedded-postgres/account.ts";
import type { Binaries } from "#kit/db/embedded-postgres/binaries.ts";
import { cleanEnvironment, pathForAccount } from "#kit/db/embedded-postgres/process.ts";
import { stageFile } from "#kit/ops/stage-file.ts";
import { StartupProblem } from "#kit/ops/startup-problem.ts";

/** The files and folders of the embedded database in the data folder. */
export function pathsIn(dataDir: string) {
  return {
    folder: join(dataDir, "postgres"),
    log: join(dataDir, "postgres.log"),
    password: join(dataDir, "database-password"),
    /** Held exclusively while starting or stopping. */
    startLock: join(dataDir, "database.lock"),
    /** Held shared by every process that has the database open. */
    usersLock: join(dataDir, "database-users.lock"),
  };
}

/**
 * Create an empty PostgreSQL in the data folder, with a random password.
 *
 * It is created in a temporary folder and renamed when complete, so an interrupted first start leaves no half of
 * one. `noSync` saves time if nothing has to survive a power cut.
 */
export function makeCluster(
  dataDir: string,
  account: Account,
  { initdb }: Binaries,
  noSync: boolean,
): void {
  const paths = pathsIn(dataDir);
  stageFile(paths.password, randomBytes(24).toString("base64url"))();
  const unfinished = mkdtempSync(`${paths.folder}.new-`);
  const passwordForInitdb = `${unfinished}.password`; // a separate file, because its owner changes
  writeFileSync(passwordForInitdb, passwordIn(dataDir), { mode: 0o600, flag: "wx" });
  if (account) {
    for (const owned of [unfinished, passwordForInitdb]) chownSync(owned, account.uid, account.gid);
  }
  const password = openSync(passwordForInitdb, "r");
  try {
    const path = pathForAccount(unfinished, account);
    const flags = ["-D", path, "--username=postgres", "--auth=scram-sha-256", "--no-instructions"];
    // Unicode's rules for upper and lower case, sorted by code point, the same on every machine.
    flags.push("--encoding=UTF8", "--locale=C");
    flags.push("--locale-provider=builtin", "--builtin-locale=C.UTF-8");
    flags.push(`--pwfile=${path === unfinished ? passwordForInitdb : "/proc/self/fd/3"}`);
    if (noSync) flags.push("--no-sync");
    const [program, ...before] = [...namedUserPrefix(), initdb];
    const result = spawnSync(program, [...before, ...flags], {
      cwd: unfinished,
      ...(account && { uid: account.uid, gid: account.gid }),
      env: cleanEnvironment(),
      stdio: ["ignore", "pipe", "pipe", password],
      encoding: "utf8",
    });
    if (result.status !== 0) throw new StartupProblem(initdbProblem(result.error, result.stderr));
  } finally {
    closeSync(password);
    rmSync(passwordForInitdb, { force: true });
  }
  renameSync(unfinished, paths.folder);
}

/** Remove what an interrupted first start has left. */
export function removeUnfinished(dataDir: string): void {
  for (const name of readdirSync(dataDir)) {
    if (name.startsWith("postgres.new-")) rmSync(join(dataDir, name), { recursive: true });
  }
}

/**
 * Of PostgreSQL's programs, only initdb requires that its user has a name. A container's user may have none
 * (`docker run --user 1234`). Then it runs as a user that has one.
 */
function namedUserPrefix(): string[] {
  try {
    userInfo();
    return [];
  } catch {
    const { uid, gid } = unprivilegedAccount();
    return ["unshare", "--user", `--map-user=${uid}`, `--map-group=${gid}`];
  }
}

function initdbProblem(error: Error | undefined, printed: string | null): string {
  const lines = (printed ?? "").split("\n");
  const line =
    lines.find((text) => /(error|FATAL|PANIC):/.test(text)) ?? lines.find((text) => text !== "");
  const reason =
    error?.message ?? line?.replace(/^.*?(error|FATAL|PANIC):\s*/, "") ?? "initdb gave no reason";
  return `The database could not be created: ${reason.replace(/\.$/, "")}.`;
}

/** Throws a StartupProblem if another major version wrote the files: they cannot be read. */
export function refuseOtherVersion(folder: string, { version }: Binaries): void {
  const [ours] = version.split(".");
  const theirs = readFileSync(join(folder, "PG_VERSION"), "utf8").trim();
  if (theirs === ours) return;
  throw new StartupProblem(
    `The database in ${folder} was created by PostgreSQL ${theirs}, but this version includes PostgreSQL ${ours}. Start the version that created it, or move its data with pg_dump.`,
  );
}

/** The password of the superuser and of the product's roles. */
export function passwordIn(dataDir: string): string {
  const { password } = pathsIn(dataDir);
  try {
    return readFileSync(password, "utf8").trim();
  } catch (error) {
    throw new StartupProblem(
      `The database password cannot be read from ${password}. Restore that file, or choose another folder with DATA_DIR.`,
      { cause: error },
    );
  }
}
