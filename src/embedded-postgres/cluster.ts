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
import { type Account, someAccount } from "#embedded-postgres/account.ts";
import type { Binaries } from "#embedded-postgres/binaries.ts";
import { cleanEnvironment, nameOfFolder } from "#embedded-postgres/process.ts";
import { StartupProblem } from "#ops/startup-problem.ts";

/** Where the embedded database keeps what in the data folder. */
export function pathsIn(dataDir: string) {
  return {
    folder: join(dataDir, "postgres"),
    log: join(dataDir, "postgres.log"),
    password: join(dataDir, "database-password"),
    /** Held alone while starting or stopping. */
    turn: join(dataDir, "database.lock"),
    /** Held shared by everyone who has the database open. */
    users: join(dataDir, "database-users.lock"),
  };
}

/**
 * Make an empty PostgreSQL in the data folder, with a random password.
 *
 * It is made aside and renamed when complete, so that an interrupted first start leaves nothing half made.
 * `unsynced` saves time where nothing has to survive a power cut.
 */
export function makeCluster(
  dataDir: string,
  account: Account,
  { initdb }: Binaries,
  unsynced: boolean,
): void {
  const paths = pathsIn(dataDir);
  writeWhole(paths.password, randomBytes(24).toString("base64url"));
  const aside = mkdtempSync(`${paths.folder}.new-`);
  const passwordForInitdb = `${aside}.password`; // its own file, because it changes hands
  writeFileSync(passwordForInitdb, passwordIn(dataDir), { mode: 0o600, flag: "wx" });
  if (account) {
    for (const path of [aside, passwordForInitdb]) chownSync(path, account.uid, account.gid);
  }
  const password = openSync(passwordForInitdb, "r");
  try {
    const named = nameOfFolder(aside, account);
    const flags = ["-D", named, "--username=postgres", "--auth=scram-sha-256", "--no-instructions"];
    // Unicode's rules for upper and lower case, sorting by code point, the same on every machine.
    flags.push("--encoding=UTF8", "--locale=C");
    flags.push("--locale-provider=builtin", "--builtin-locale=C.UTF-8");
    flags.push(`--pwfile=${named === aside ? passwordForInitdb : "/proc/self/fd/3"}`);
    if (unsynced) flags.push("--no-sync");
    const [program, ...before] = [...underAName(), initdb];
    const result = spawnSync(program, [...before, ...flags], {
      cwd: aside,
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
  renameSync(aside, paths.folder);
}

/** What an interrupted first start has left behind. */
export function clearUnfinished(dataDir: string): void {
  for (const name of readdirSync(dataDir)) {
    if (name.startsWith("postgres.new-")) rmSync(join(dataDir, name), { recursive: true });
  }
}

/**
 * initdb, alone of PostgreSQL's programs, insists that its user has a name. A container's user may have none
 * (`docker run --user 1234`): then it runs where the kernel shows it as one that has.
 */
function underAName(): string[] {
  try {
    userInfo();
    return [];
  } catch {
    const { uid, gid } = someAccount();
    return ["unshare", "--user", `--map-user=${uid}`, `--map-group=${gid}`];
  }
}

function writeWhole(path: string, text: string): void {
  writeFileSync(`${path}.new`, text, { mode: 0o600, flush: true });
  renameSync(`${path}.new`, path);
}

function initdbProblem(error: Error | undefined, printed: string | null): string {
  const lines = (printed ?? "").split("\n");
  const line =
    lines.find((text) => /(error|FATAL|PANIC):/.test(text)) ?? lines.find((text) => text !== "");
  const reason =
    error?.message ?? line?.replace(/^.*?(error|FATAL|PANIC):\s*/, "") ?? "initdb gave no reason";
  return `The database could not be made: ${reason.replace(/\.$/, "")}.`;
}

/** Throws a StartupProblem when the files were written by another major version, which cannot be read. */
export function refuseOtherVersion(folder: string, { version }: Binaries): void {
  const [ours] = version.split(".");
  const theirs = readFileSync(join(folder, "PG_VERSION"), "utf8").trim();
  if (theirs === ours) return;
  throw new StartupProblem(
    `The database in ${folder} was made by PostgreSQL ${theirs} and this version brings PostgreSQL ${ours}: start the version that made it, or move its data with pg_dump.`,
  );
}

/** Of the superuser and of the product's role alike. */
export function passwordIn(dataDir: string): string {
  const { password } = pathsIn(dataDir);
  try {
    return readFileSync(password, "utf8").trim();
  } catch (error) {
    throw new StartupProblem(
      `The password of the database cannot be read from ${password}: restore that file, or choose another folder with DATA_DIR.`,
      { cause: error },
    );
  }
}
