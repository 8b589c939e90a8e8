import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  appendFileSync,
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as after } from "node:timers/promises";
import { Client, type QueryResultRow } from "pg";
import { accountFor } from "#embedded-postgres/account.ts";
import { projectFolder } from "#tests/support/launched.ts";
import { anOwnPostgres, installedPostgres, type OwnPostgres } from "#tests/support/own-postgres.ts";

/** A PostgreSQL of two, on a machine of its own as far as anybody can tell. */
export interface Server {
  /** What it is called as a standby. */
  name: string;
  port: number;
  folder: string;
  /** Of the password by which its standby and its health check come. */
  passfile: string;
  /** Where it takes connections of a superuser. */
  address(database: string): string;
  ask<Row extends QueryResultRow>(query: string, values?: unknown[]): Promise<Row[]>;
  start(): void;
  stop(): void;
  /** Every process of it at once, as when its machine dies. */
  kill(): Promise<void>;
  isRunning(): boolean;
  /** Run one of the shipped scripts, or a program of PostgreSQL's, on its machine as PostgreSQL's user. */
  run(name: string, ...args: string[]): Promise<Said>;
  /** What its machine's environment has besides. */
  environment: Record<string, string>;
}

export interface Said {
  status: number | null;
  stdout: string;
  stderr: string;
}

export interface Pair {
  servers: [Server, Server];
  /** As `standby.sh` is given it. */
  asPrimary(server: Server): string;
  /** Of both, in their order, for a role and a database. */
  addressOfBoth(role: string, database: string): string;
  close(): void;
}

const password = "of-replication";
const role = "referral_network_replication";

/** The first one runs as a primary with the shipped settings; the second one is not made yet. */
export async function aPair(database: string): Promise<Pair> {
  const bin = installedPostgres();
  const parent = mkdtempSync("/var/tmp/rn-failover-"); // on a disk: commits are waited for, and timed
  chmodSync(parent, 0o755);
  cpSync(join(projectFolder, "deploy"), join(parent, "deploy"), { recursive: true });
  const account = accountFor(parent);
  const passfile = join(parent, "pgpass");
  writeFileSync(passfile, `*:*:*:${role}:${password}\n`, { mode: 0o600 });
  if (account) for (const path of [parent, passfile]) chownSync(path, account.uid, account.gid);

  const made: Server[] = [];
  for (const name of ["db_1", "db_2"]) {
    const postgres = await anOwnPostgres(bin, parent, { fsync: "on" });
    postgres.environment["PGPASSFILE"] = passfile;
    made.push(aServer(postgres, { name, database, passfile, parent, account }));
  }
  const [first, second] = made;
  if (!first || !second || first.port === second.port) throw new Error("Two ports are needed.");
  const postgres = await anOwnPostgres(bin, parent);
  const words = [`--pgdata=${first.folder}`, "--username=operator", "--auth=trust", "--no-sync"];
  postgres.run("initdb", ...words);
  const settings = `include '${join(parent, "deploy/postgres-replication.conf")}'\n`;
  appendFileSync(join(first.folder, "postgresql.conf"), settings);
  // Whoever follows has a password; the product and the operator are not what is tried here.
  const rules = [
    `host all,replication ${role} 127.0.0.1/32 scram-sha-256`,
    "host all all 127.0.0.1/32 trust",
    "local all all trust",
  ];
  writeFileSync(join(first.folder, "pg_hba.conf"), rules.map((rule) => `${rule}\n`).join(""));
  first.start();
  return {
    servers: [first, second],
    asPrimary: ({ port }) => `host=127.0.0.1 port=${port} user=${role}`,
    addressOfBoth: (user, of) =>
      `postgresql://${user}@127.0.0.1:${first.port},127.0.0.1:${second.port}/${of}?target_session_attrs=read-write`,
    close: () => {
      for (const server of made) if (server.isRunning()) killIn(server.folder);
      rmSync(parent, { recursive: true, force: true });
    },
  };
}

interface Place {
  name: string;
  database: string;
  passfile: string;
  parent: string;
  account: ReturnType<typeof accountFor>;
}

function aServer(
  postgres: OwnPostgres,
  { name, database, passfile, parent, account }: Place,
): Server {
  const folder = join(parent, name);
  const { port } = new URL(postgres.address(database));
  const environment: Record<string, string> = {};
  const isRunning = () => existsSync(folder) && pidsIn(folder).length > 0;
  return {
    name,
    port: Number(port),
    folder,
    passfile,
    address: (name) => postgres.address(name),
    isRunning,
    environment,
    start: () => postgres.start(folder),
    stop: () => postgres.stop(folder),
    kill: async () => {
      killIn(folder);
      while (isRunning()) await after(5);
    },
    ask: async <Row extends QueryResultRow>(text: string, values: unknown[] = []) => {
      const client = new Client({ connectionString: postgres.address(database) });
      await client.connect();
      try {
        return (await client.query<Row>(text, values)).rows;
      } finally {
        await client.end();
      }
    },
    run: async (name, ...args) => {
      const program = name.endsWith(".sh") ? join(parent, "deploy", name) : name;
      const child = spawn(program, args, {
        cwd: join(parent, "deploy"),
        env: {
          ...postgres.environment,
          PGDATA: folder,
          PGHOST: "127.0.0.1",
          PGPORT: port,
          PGUSER: "operator",
          REPLICATION_PASSWORD: password,
          ...environment,
        },
        ...(account && { uid: account.uid, gid: account.gid }),
        stdio: ["ignore", "pipe", "pipe"],
      });
      const ended = once(child, "close");
      const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
      const [status]: (number | null)[] = await ended;
      return { status: status ?? null, stdout, stderr };
    },
  };
}

function killIn(folder: string): void {
  for (const pid of pidsIn(folder)) process.kill(pid, "SIGKILL");
}

/** PostgreSQL's processes work in their data folder; the postmaster, which is the oldest, comes first. */
function pidsIn(folder: string): number[] {
  const all = readdirSync("/proc").map(Number);
  return all.filter((pid) => pid > 1 && folderOf(pid) === folder).toSorted((a, b) => a - b);
}

function folderOf(pid: number): string | null {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return null; // gone meanwhile, or another user's
  }
}
