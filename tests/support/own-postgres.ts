import { execFileSync, spawnSync } from "node:child_process";
import { chownSync, existsSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { accountFor } from "#embedded-postgres/account.ts";
import { freePort } from "#tests/support/launched.ts";

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
  start(folder: string): void;
  stop(folder: string): void;
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
    run,
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
