import {
  type ChildProcess,
  execFileSync,
  spawn,
  spawnSync,
  type SpawnSyncReturns,
} from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { accountFor } from "#embedded-postgres/account.ts";
import { freePort, projectFolder } from "#tests/support/launched.ts";

const programs = ["initdb", "pg_ctl", "pg_basebackup", "pg_dump", "pg_restore", "psql"];

/** Where a machine has PostgreSQL's server and clients of one version, 15 or later; null where it has none. */
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
  /** Of a superuser; the database is named by whoever asks. */
  address(database: string): string;
  /** Run one of PostgreSQL's programs as the server's user; throws when it fails. */
  run(program: string, ...args: string[]): string;
  /** Begin one of PostgreSQL's programs as the server's user. */
  spawn(program: string, ...args: string[]): ChildProcess;
  /** Run a script of `deploy/` as the server's user, against this server where it asks one. */
  script(name: string, ...args: string[]): SpawnSyncReturns<string>;
  /** Where the server's user finds it. */
  pathOf(script: string): string;
  start(folder: string): void;
  stop(folder: string): void;
  /** As when the machine dies: the server and all that it began are killed at once. */
  kill(folder: string): void;
  port: number;
  /** A folder that the server's user owns. */
  folder(name: string): string;
  environment: Record<string, string>;
}

/** A PostgreSQL as an operator runs one, with the machine's own programs; nothing is started yet. */
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
    spawn: (program, ...args) =>
      spawn(join(bin, program), args, {
        ...as,
        env: { ...environment, ...server },
        stdio: "ignore",
      }),
    pathOf: (script) => join(scriptsIn(parent), script),
    script: (name, ...args) =>
      spawnSync(join(scriptsIn(parent), name), args, {
        ...as,
        env: { ...environment, ...server },
        encoding: "utf8",
      }),
    kill: (folder) => {
      const pid = Number(readFileSync(join(folder, "postmaster.pid"), "utf8").split("\n")[0]);
      for (const each of [pid, ...childrenOf(pid)]) killIfThere(each);
    },
    address: (database) => `postgresql://operator@127.0.0.1:${port}/${database}`,
    // pg_ctl hands its own pipes to the server, which would keep them open.
    start: (folder) => {
      const args = [
        "start",
        "--wait",
        "--timeout=60",
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

/** Such a server that archives its WAL by the shipped script, started, in the folder `data`. `wal` and `base` are beside it. */
export async function anArchivingPostgres(
  bin: string,
  parent: string,
  archiveTimeoutSeconds: number,
): Promise<{ postgres: OwnPostgres; data: string }> {
  const postgres = await anOwnPostgres(bin, parent);
  const data = postgres.folder("data");
  for (const name of ["base", "wal"]) postgres.folder(name);
  postgres.run("initdb", `--pgdata=${data}`, "--username=operator", "--auth=trust", "--no-sync");
  archiveInto(postgres, data, { archive: join(parent, "wal"), archiveTimeoutSeconds });
  appendFileSync(join(data, "postgresql.conf"), `unix_socket_directories = '${parent}'\n`);
  postgres.start(data);
  return { postgres, data };
}

/** In force at the next start. */
export function archiveInto(
  postgres: OwnPostgres,
  data: string,
  { archive, archiveTimeoutSeconds }: { archive: string; archiveTimeoutSeconds: number },
): void {
  const script = postgres.pathOf("archive-wal.sh");
  appendFileSync(
    join(data, "postgresql.conf"),
    `archive_mode = on
archive_timeout = ${archiveTimeoutSeconds}
archive_command = '${script} %p ${archive}'
`,
  );
}

/** Base backups are named by seconds, by the one after they were complete. */
export async function untilNextSecond(): Promise<void> {
  const next = Math.ceil(Date.now() / 1000) * 1000;
  while (Date.now() <= next) await setTimeout(20);
}

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

function killIfThere(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended by itself: its server is gone.
  }
}
