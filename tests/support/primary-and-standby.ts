import {
  chmodSync,
  chownSync,
  cpSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as after } from "node:timers/promises";
import { Client } from "pg";
import { migrateAsOwner } from "#kit/db/migrate.ts";
import { accountFor, changeOwner } from "#kit/db/embedded-postgres/account.ts";
import { binariesFor } from "#kit/db/embedded-postgres/binaries.ts";
import { passwordIn } from "#kit/db/embedded-postgres/cluster.ts";
import { openEmbeddedDatabase } from "#kit/db/embedded-postgres/embedded-database.ts";
import { findPostgres, startPostgres } from "#kit/db/embedded-postgres/process.ts";
import { readHosts } from "#kit/ops/database-hosts.ts";
import { freePort } from "#tests/support/launched.ts";

/** Two PostgreSQL servers of the embedded version, with the same migrated database. */
export interface OneOfTwo {
  port: number;
  start(): Promise<void>;
  /** As when its machine loses power: connections stay open and get no message. */
  hang(): void;
  kill(): Promise<void>;
  /** A superuser's connection string, for this server only. */
  administer(statement: string): Promise<unknown[]>;
}

export interface PrimaryAndStandby {
  primary: OneOfTwo;
  standby: OneOfTwo;
  /** The serving role's connection string, with these ports in order. */
  address(...ports: number[]): string;
  close(): Promise<void>;
}

const settings = {
  fsync: "off",
  full_page_writes: "off",
  shared_buffers: "32MB",
  max_connections: "60",
  autovacuum: "off",
  hot_standby_feedback: "off",
};

/** Both run, and commits on the primary stream to the standby. */
export async function aPrimaryAndStandby(): Promise<PrimaryAndStandby> {
  const parent = mkdtempSync(join(tmpdir(), "referral-network-two-"));
  const made = await openEmbeddedDatabase({ dataDir: parent, settings, log: () => undefined });
  await migrateAsOwner({
    directConnectionString: made.servingConnectionString,
    ownerConnectionString: made.connectionString,
  });
  await made.stop();
  const folder = join(parent, "postgres");
  const copy = join(parent, "standby");
  const account = accountFor(folder);
  cpSync(folder, copy, { recursive: true, preserveTimestamps: true });
  chmodSync(copy, 0o700);
  changeOwner(account, copy);
  const password = passwordIn(parent);
  const ports = [await freePort(), await freePort()] as const;
  const superuser = (port: number) =>
    `postgresql://postgres:${password}@127.0.0.1:${port}/postgres?sslmode=disable`;
  const aPostgres = (at: string, port: number): OneOfTwo => ({
    port,
    start: async () => {
      const logFile = `${at}.log`;
      const { postgres } = binariesFor(account);
      await startPostgres({ postgres, folder: at, account, settings, logFile, port });
    },
    hang: () => signalAll(at, "SIGSTOP"),
    kill: async () => {
      signalAll(at, "SIGKILL");
      await findPostgres(at); // which waits for them
      rmSync(join(at, "postmaster.pid"), { force: true }); // one that nobody has waited for yet counts as alive
    },
    administer: async (statement) => {
      const client = new Client({ connectionString: superuser(port) });
      await client.connect();
      try {
        return (await client.query<Record<string, unknown>>(statement)).rows;
      } finally {
        await client.end();
      }
    },
  });
  const [primary, standby] = [aPostgres(folder, ports[0]), aPostgres(copy, ports[1])];
  const close = async () => {
    for (const one of [standby, primary]) await one.kill();
    rmSync(parent, { recursive: true, force: true });
  };
  makeFollow(copy, superuser(ports[0]));
  try {
    for (const one of [primary, standby]) await one.start();
    const streaming = "select from pg_stat_wal_receiver where status = 'streaming'";
    while ((await standby.administer(streaming)).length === 0) await after(20);
  } catch (problem) {
    await close();
    throw problem;
  }
  const address = (...named: number[]) => {
    const hosts = named.map((port) => `127.0.0.1:${port}`).join(",");
    const address = `postgresql://referral_network_server:${password}@${hosts}/referral_network`;
    return readHosts(`${address}?sslmode=disable&target_session_attrs=read-write`, "DATABASE_URL");
  };
  return { primary, standby, address, close };
}

/** All processes of the PostgreSQL in a folder, which is their working directory. */
function signalAll(folder: string, signal: NodeJS.Signals): void {
  for (const pid of readdirSync("/proc").map(Number))
    if (pid > 1 && folderOf(pid) === folder) process.kill(pid, signal);
}

function folderOf(pid: number): string | null {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return null; // gone already, or another user's
  }
}

/** Make a stopped PostgreSQL follow another once it starts. */
function makeFollow(folder: string, primary: string): void {
  const { uid, gid } = statSync(folder);
  const files = {
    "standby.signal": "",
    "postgresql.auto.conf": `primary_conninfo = '${primary.replace("/postgres?", "/?")}'\n`,
  };
  for (const [name, text] of Object.entries(files)) {
    writeFileSync(join(folder, name), text, { mode: 0o600 });
    chownSync(join(folder, name), uid, gid);
  }
}
