import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { Client, DatabaseError } from "pg";
import { prepareDataDir } from "#kit/ops/data-dir.ts";
import { lock, tryLock } from "#kit/ops/file-lock.ts";
import { restartWhenLost } from "#kit/db/embedded-postgres/restart-when-lost.ts";
import { accountFor, changeOwner } from "#kit/db/embedded-postgres/account.ts";
import { type Binaries, binariesFor } from "#kit/db/embedded-postgres/binaries.ts";
import {
  removeUnfinished,
  makeCluster,
  passwordIn,
  pathsIn,
  refuseOtherVersion,
} from "#kit/db/embedded-postgres/cluster.ts";
import {
  findRecorded,
  type RunningPostgres,
  waitUntilSettled,
  startPostgres,
  stopPostgres,
} from "#kit/db/embedded-postgres/process.ts";
import { StartupProblem } from "#kit/ops/startup-problem.ts";

export interface EmbeddedDatabase {
  /** For the product's own role: owner of its database, may create databases, not a superuser. */
  connectionString: string;
  /** For the role that serves requests, which owns nothing. */
  servingConnectionString: string;
  /** False if it was already running, for a server or another command. */
  startedHere: boolean;
  /** Stop using it. The last user stops PostgreSQL, so a command may outlive the server and vice versa. */
  stop(): Promise<void>;
}

const name = "referral_network"; // the name of the role and of its database
const servingRole = "referral_network_server";
const startLockTimeoutMs = 6 * 60_000; // longer than the slowest start in another process

/** For a machine with 2 cores. A caller's settings override them. */
const defaultSettings = {
  shared_buffers: "256MB",
  effective_cache_size: "1GB",
  work_mem: "16MB",
  maintenance_work_mem: "128MB",
  max_wal_size: "2GB",
  random_page_cost: "1.1",
  jit: "off",
  max_connections: "200",
  timezone: "UTC",
  log_timezone: "UTC",
  log_checkpoints: "off",
  client_connection_check_interval: "5s", // queries of a killed server end soon and release their locks
};

/**
 * Open the PostgreSQL in `dataDir`/postgres: create it if missing, start it unless it runs, join it if it does. If
 * it dies while open, killed or out of memory, it is restarted on the same port.
 *
 * Any number of processes may have it open at the same time. Each holds a lock that the kernel releases when the
 * process dies. With `exclusive`, only this process may: it is refused while another has it open, and others are
 * refused while this one does. `settings` are PostgreSQL's own (`{ fsync: "off" }`) and only apply if no one else
 * has it open. `log` reports slow steps. Throws StartupProblem.
 */
export async function openEmbeddedDatabase(options: {
  dataDir: string;
  settings?: Record<string, string>;
  log: (line: string) => void;
  exclusive?: boolean;
}): Promise<EmbeddedDatabase> {
  const dataDir = prepareDataDir(options.dataDir);
  const paths = pathsIn(dataDir);
  const releaseStartLock = await takeStartLock(dataDir);
  try {
    const releaseExclusive = tryLock(paths.usersLock, "exclusive");
    const isOnlyUser = releaseExclusive !== null;
    releaseExclusive?.();
    const releaseUse = tryLock(paths.usersLock, options.exclusive ? "exclusive" : "shared");
    if (!releaseUse) throw new StartupProblem(inUseMessage(dataDir, options.exclusive ?? false));
    try {
      const { port, startedHere } = await ensureRunning({ ...options, dataDir, isOnlyUser });
      const watch = restartWhenLost({
        isAlive: () => findRecorded(paths.folder) !== null,
        restart: () => restart({ ...options, dataDir, port }),
        log: options.log,
      });
      return {
        connectionString: address(name, port, name, passwordIn(dataDir)),
        servingConnectionString: address(servingRole, port, name, passwordIn(dataDir)),
        startedHere,
        stop: async () => {
          await watch.stop();
          await releaseDatabase(dataDir, releaseUse);
        },
      };
    } catch (error) {
      releaseUse();
      throw error;
    }
  } finally {
    releaseStartLock();
  }
}

function inUseMessage(dataDir: string, wantsExclusive: boolean): string {
  return wantsExclusive
    ? `The database in ${dataDir} is in use. Stop the server first, and wait for other commands to end.`
    : `The database in ${dataDir} is being copied. Wait until copy-database has ended.`;
}

async function takeStartLock(dataDir: string): Promise<() => void> {
  const releaseStartLock = await lock(pathsIn(dataDir).startLock, "exclusive", startLockTimeoutMs);
  if (releaseStartLock) return releaseStartLock;
  throw new StartupProblem(
    `Another process has been starting or stopping the database in ${dataDir} for six minutes. Look at postgres.log there.`,
  );
}

async function releaseDatabase(dataDir: string, releaseUse: () => void): Promise<void> {
  const { folder, usersLock } = pathsIn(dataDir);
  const releaseStartLock = await takeStartLock(dataDir);
  try {
    releaseUse();
    const releaseExclusive = tryLock(usersLock, "exclusive");
    if (!releaseExclusive) return;
    try {
      const running = existsSync(folder) ? await waitUntilSettled(folder) : null;
      if (running) await stopPostgres(folder, running);
    } finally {
      releaseExclusive();
    }
  } finally {
    releaseStartLock();
  }
}

async function ensureRunning(options: {
  dataDir: string;
  settings?: Record<string, string>;
  log: (line: string) => void;
  isOnlyUser: boolean;
}): Promise<{ port: number; startedHere: boolean }> {
  const { dataDir, log, isOnlyUser } = options;
  const paths = pathsIn(dataDir);
  removeUnfinished(dataDir);
  const account = accountFor(existsSync(paths.folder) ? paths.folder : dataDir);
  const isNew = !existsSync(paths.folder);
  if (!isNew) changeOwner(account, paths.folder);
  const running = isNew ? null : await findReady(paths.folder, dataDir);
  const binaries = binariesFor(account);
  const { launch, settings } = launchSettings(binaries, options.settings);
  if (running && (!isOnlyUser || running.launch === launch)) {
    await ensureRoleAndDatabase(running, dataDir);
    return { port: running.port, startedHere: false };
  }
  if (running) await stopPostgres(paths.folder, running); // started by a version with other settings
  if (isNew) {
    log("Creating the database.");
    makeCluster(dataDir, account, binaries, options.settings?.["fsync"] === "off");
  }
  refuseOtherVersion(paths.folder, binaries);
  const started = await startPostgres({
    postgres: binaries.postgres,
    folder: paths.folder,
    account,
    settings,
    logFile: paths.log,
  });
  try {
    await ensureRoleAndDatabase(started, dataDir);
  } catch (error) {
    await stopPostgres(paths.folder, started);
    throw error;
  }
  return { port: started.port, startedHere: true };
}

/** PostgreSQL's settings. `launch` contains all of them, so that a change is noticed. */
function launchSettings({ version }: Binaries, own: Record<string, string> = {}) {
  const settings: Record<string, string> = { ...defaultSettings, ...own };
  const launch = createHash("sha256")
    .update(JSON.stringify([version, settings]))
    .digest("hex");
  return { launch, settings: { ...settings, "referral_network.launch": launch } };
}

/** Restart the database after it died, unless another user has. On the same port, where all users look for it. */
async function restart(options: {
  dataDir: string;
  settings?: Record<string, string>;
  port: number;
}): Promise<void> {
  const { dataDir, port } = options;
  const paths = pathsIn(dataDir);
  const releaseStartLock = await takeStartLock(dataDir);
  try {
    if (await waitUntilSettled(paths.folder)) return;
    const account = accountFor(paths.folder);
    const binaries = binariesFor(account);
    const { settings } = launchSettings(binaries, options.settings);
    const { folder, log: logFile } = paths;
    const { postgres } = binaries;
    await startPostgres({ postgres, folder, account, settings, logFile, port });
  } finally {
    releaseStartLock();
  }
}

/** Create the product's roles and database once. Completes them after an interrupted first start. */
async function ensureRoleAndDatabase(running: RunningPostgres, dataDir: string): Promise<void> {
  await asSuperuser(running, dataDir, async (client, password) => {
    const login = `login password ${client.escapeLiteral(password)}`;
    const roles = [
      [name, `create role ${name} createdb ${login}`],
      [servingRole, `create role ${servingRole} ${login} role ${name}`], // the owner may end this role's statements
    ] as const;
    for (const [role, statement] of roles) {
      const found = await client.query("select from pg_roles where rolname = $1", [role]);
      if (found.rowCount === 0) await client.query(statement);
    }
    const database = await client.query("select from pg_database where datname = $1", [name]);
    if (database.rowCount === 0) await client.query(`create database ${name} owner ${name}`);
  });
}

/** The running database and what it was started with: `launch` has its version and settings. */
async function findReady(
  folder: string,
  dataDir: string,
): Promise<(RunningPostgres & { launch: string | null }) | null> {
  const deadline = performance.now() + 30_000;
  for (;;) {
    const running = await waitUntilSettled(folder);
    if (!running) return null;
    try {
      return { ...running, launch: await readLaunch(running, dataDir) };
    } catch (error) {
      // just killed or told to stop: the next check shows it gone
      if (error instanceof StartupProblem || performance.now() > deadline) throw error;
      await sleep(50);
    }
  }
}

async function readLaunch(running: RunningPostgres, dataDir: string): Promise<string | null> {
  return await asSuperuser(running, dataDir, async (client) => {
    const { rows } = await client.query<{ launch: string | null }>(
      "select current_setting('referral_network.launch', true) as launch",
    );
    return rows[0]?.launch ?? null;
  });
}

/** Work on a connection as the superuser, which has the same password as the product's roles. */
async function asSuperuser<Answer>(
  { port }: RunningPostgres,
  dataDir: string,
  work: (client: Client, password: string) => Promise<Answer>,
): Promise<Answer> {
  const password = passwordIn(dataDir);
  const client = new Client({
    connectionString: address("postgres", port, "postgres", password),
    connectionTimeoutMillis: 20_000,
    statement_timeout: 20_000,
    lock_timeout: 20_000,
  });
  try {
    await client.connect();
    return await work(client, password);
  } catch (error) {
    const wrongPassword = error instanceof DatabaseError && error.code === "28P01";
    if (!wrongPassword) throw error;
    throw new StartupProblem(
      `The database in ${dataDir} refuses the password in its file database-password. Restore that file, or choose another folder with DATA_DIR.`,
      { cause: error },
    );
  } finally {
    await client.end().catch(() => undefined); // a client that never connected has nothing to end
  }
}

function address(user: string, port: number, database: string, password: string): string {
  // sslmode, so that a PGSSLMODE in the environment does not require a certificate on loopback
  return `postgresql://${user}:${password}@127.0.0.1:${port}/${database}?sslmode=disable`;
}
