import { execFileSync, spawnSync, type SpawnSyncReturns } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { accountFor } from "#kit/db/embedded-postgres/account.ts";
import { freePort, projectFolder } from "#tests/support/launched.ts";

const backRest = "pgbackrest";
const programs = ["initdb", "pg_ctl", "pg_basebackup", "pg_dump", "pg_restore", "psql"];

/** The folder of PostgreSQL's server and clients of one version, 15 or later; null if there is none. */
export function installedPostgres(): string {
  const debian = "/usr/lib/postgresql";
  const versions = existsSync(debian) ? readdirSync(debian) : [];
  const folders = versions
    .filter((version) => Number(version) >= 15)
    .toSorted((a, b) => Number(b) - Number(a))
    .map((version) => join(debian, version, "bin"));
  const found = folders.find((folder) =>
    programs.every((program) => existsSync(join(folder, program))),
  );
  if (!found) throw new Error(`Install PostgreSQL 15 or later: ${programs.join(", ")} are needed.`);
  return found;
}

export interface OwnPostgres {
  /** A superuser's connection string; the caller appends the database. */
  address(database: string): string;
  /** Run one of PostgreSQL's programs as the server's user; throws if it fails. */
  run(program: string, ...args: string[]): string;
  /** Run pgBackRest as the server's user; throws if it fails. */
  backRest(command: string, ...args: string[]): void;
  /** Run a script of `deploy/` as the server's user, with this server for its queries. */
  script(name: string, ...args: string[]): SpawnSyncReturns<string>;
  start(folder: string): void;
  stop(folder: string): void;
  /** As when the machine dies: the server and all its processes are killed together. */
  kill(folder: string): void;
  port: number;
  /** A folder that the server's user owns. */
  folder(name: string): string;
  environment: Record<string, string>;
}

/** A PostgreSQL as an operator runs one, with the machine's own programs; not started yet. */
export async function anOwnPostgres(
  bin: string,
  parent: string,
  { fsync = "off" }: { fsync?: "on" | "off" } = {},
): Promise<OwnPostgres> {
  const port = await freePort();
  const account = accountFor(parent);
  const environment = { PATH: `${bin}:${process.env["PATH"] ?? ""}`, LC_ALL: "C.UTF-8" };
  const server = { PGHOST: "127.0.0.1", PGPORT: String(port), PGUSER: "operator" };
  const as = {
    env: environment,
    cwd: parent,
    ...(account && { uid: account.uid, gid: account.gid }),
  };
  const run = (program: string, ...args: string[]) =>
    execFileSync(join(bin, program), args, {
      ...as,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
    });
  const options = `-p ${port} -k ${parent} -c listen_addresses=127.0.0.1 -c fsync=${fsync}`;
  return {
    environment,
    port,
    run,
    backRest: (command, ...args) => {
      const words = [`--config=${configOf(parent)}`, "--stanza=referral-network", command, ...args];
      execFileSync(backRest, words, { ...as, stdio: "inherit" });
    },
    script: (name, ...args) =>
      spawnSync(join(scriptsIn(parent), name), args, {
        ...as,
        env: { ...environment, ...server },
        encoding: "utf8",
      }),
    kill: (folder) => {
      const pid = Number(readFileSync(join(folder, "postmaster.pid"), "utf8").split("\n")[0]);
      for (const each of [pid, ...childrenOf(pid)]) killIfRunning(each);
    },
    address: (database) => `postgresql://operator@127.0.0.1:${port}/${database}`,
    // pg_ctl passes its own pipes to the server, which would keep them open.
    start: (folder) => {
      const args = [
        "start",
        "--wait",
        "--timeout=600", // a restored one replays first
        `--pgdata=${folder}`,
        "--log",
        `${folder}/log`,
        "-o",
        options,
      ];
      const { status } = spawnSync(join(bin, "pg_ctl"), args, { ...as, stdio: "ignore" });
      if (status !== 0) throw new Error(`PostgreSQL did not start: see ${folder}/log`);
    },
    stop: (folder) => void run("pg_ctl", "stop", "--mode=fast", `--pgdata=${folder}`),
    folder: (name) => {
      const path = join(parent, name);
      mkdirSync(path, { mode: 0o700 });
      if (account) chownSync(path, account.uid, account.gid);
      return path;
    },
  };
}

/**
 * Such a server in the folder `data`, started, archived by pgBackRest with the shipped
 * deploy/pgbackrest.conf, with repository and locks below `parent`.
 */
export async function aBackedUpPostgres(
  bin: string,
  parent: string,
  archiveTimeoutSeconds: number,
): Promise<{ postgres: OwnPostgres; data: string }> {
  const postgres = await anOwnPostgres(bin, parent);
  const [data = "", repository = "", locks = ""] = ["data", "repository", "locks"].map((name) =>
    postgres.folder(name),
  );
  const settings = readFileSync(join(projectFolder, "deploy/pgbackrest.conf"), "utf8")
    .replace(
      /^repo1-path=.*/m,
      `repo1-path=${repository}\nlock-path=${locks}\nlog-path=${locks}\nspool-path=${locks}`,
    )
    .replace(/^pg1-path=.*/m, `pg1-path=${data}\npg1-port=${postgres.port}\npg1-user=operator`);
  writeFileSync(configOf(parent), `${settings}pg1-socket-path=${parent}\n`);
  postgres.run("initdb", `--pgdata=${data}`, "--username=operator", "--auth=trust", "--no-sync");
  appendFileSync(
    join(data, "postgresql.conf"),
    `unix_socket_directories = '${parent}'
archive_mode = on
archive_timeout = ${archiveTimeoutSeconds}
archive_command = 'pgbackrest --config=${configOf(parent)} --stanza=referral-network archive-push %p'
`,
  );
  postgres.start(data);
  postgres.backRest("stanza-create");
  postgres.backRest("check");
  return { postgres, data };
}

/**
 * A server restored from that repository in a new folder of `parent`, started: at a moment, or `latest`, as
 * far as the archive goes.
 */
export async function aRestoredPostgres(
  bin: string,
  parent: string,
  { to, name }: { to: string; name: string },
): Promise<{ postgres: OwnPostgres; data: string }> {
  const postgres = await anOwnPostgres(bin, parent);
  const data = postgres.folder(name);
  const until = to === "latest" ? [] : ["--type=time", `--target=${to}`, "--target-action=promote"];
  postgres.backRest("restore", `--pg1-path=${data}`, "--archive-mode=off", ...until);
  postgres.start(data);
  const isOpen = () =>
    postgres.run("psql", postgres.address("postgres"), "-qAtc", "select not pg_is_in_recovery()");
  while (isOpen().trim() !== "t") await setTimeout(100); // throws if it ended before that
  return { postgres, data };
}

const configOf = (parent: string) => join(parent, "pgbackrest.conf");

/** The scripts of `deploy/` where the server's user may read them, whatever folder the checkout is in. */
function scriptsIn(parent: string): string {
  const folder = join(parent, "deploy");
  if (!existsSync(folder)) {
    cpSync(join(projectFolder, "deploy"), folder, { recursive: true });
    chmodSync(folder, 0o755);
  }
  return folder;
}

function childrenOf(pid: number): number[] {
  const found = spawnSync("ps", ["-o", "pid=", "--ppid", String(pid)], { encoding: "utf8" });
  return found.stdout.trim().split(/\s+/).map(Number);
}

function killIfRunning(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has already exited: its server is gone.
  }
}
