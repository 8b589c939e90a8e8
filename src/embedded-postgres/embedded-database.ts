import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { Client, DatabaseError } from "pg";
import { prepareDataDir } from "#ops/data-dir.ts";
import { lock, tryLock } from "#ops/file-lock.ts";
import { watchOver } from "#embedded-postgres/restart-when-lost.ts";
import { accountFor, giveTo } from "#embedded-postgres/account.ts";
import { type Binaries, binariesFor } from "#embedded-postgres/binaries.ts";
import {
  clearUnfinished,
  makeCluster,
  passwordIn,
  pathsIn,
  refuseOtherVersion,
} from "#embedded-postgres/cluster.ts";
import {
  findNoted,
  type RunningPostgres,
  settled,
  startPostgres,
  stopPostgres,
} from "#embedded-postgres/process.ts";
import { StartupProblem } from "#ops/startup-problem.ts";

export interface EmbeddedDatabase {
  /** Of the product's own role: owner of its database, may make databases, no superuser. */
  connectionString: string;
  /** False when it was already running, for a server or another command. */
  startedHere: boolean;
  /** Give it up. Whoever gives it up last stops it, so a command may outlive the server and the other way round. */
  stop(): Promise<void>;
}

const name = "referral_network"; // of the role and of its database
const turnTimeoutMs = 6 * 60_000; // longer than the slowest start that another process may be busy with

/** For a machine of 2 cores; a caller's own settings are laid over them. */
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
  client_connection_check_interval: "5s", // queries of a killed server end soon and give up their locks
};

/**
 * Open the PostgreSQL that lives in `dataDir`/postgres: made if missing, started unless it runs, joined if it does.
 * When it dies while it is open, killed or out of memory, it is started again on the same port.
 *
 * Any number of processes may have it open at once; each holds a lock that the kernel gives up at its death.
 * With `alone` it is this one only: refused while another has it open, and the others are while it is.
 * `settings` are PostgreSQL's own (`{ fsync: "off" }`), obeyed only when nobody else has it open.
 * `log` is told of what takes time. Throws StartupProblem.
 */
export async function openEmbeddedDatabase(options: {
  dataDir: string;
  settings?: Record<string, string>;
  log: (line: string) => void;
  alone?: boolean;
}): Promise<EmbeddedDatabase> {
  const dataDir = prepareDataDir(options.dataDir);
  const paths = pathsIn(dataDir);
  const endTurn = await takeTurn(dataDir);
  try {
    const closeAlone = tryLock(paths.users, "exclusive");
    const alone = closeAlone !== null;
    closeAlone?.();
    const leave = tryLock(paths.users, options.alone ? "exclusive" : "shared");
    if (!leave) throw new StartupProblem(takenSentence(dataDir, options.alone ?? false));
    try {
      const { port, startedHere } = await ensureRunning({ ...options, dataDir, alone });
      const watch = watchOver({
        isAlive: () => findNoted(paths.folder) !== null,
        revive: () => revive({ ...options, dataDir, port }),
        log: options.log,
      });
      return {
        connectionString: address(name, port, name, passwordIn(dataDir)),
        startedHere,
        stop: async () => {
          await watch.stop();
          await giveUp(dataDir, leave);
        },
      };
    } catch (error) {
      leave();
      throw error;
    }
  } finally {
    endTurn();
  }
}

function takenSentence(dataDir: string, wantsItAlone: boolean): string {
  return wantsItAlone
    ? `The database in ${dataDir} is in use: stop the server first, and wait for other commands to end.`
    : `The database in ${dataDir} is being copied: wait until copy-database has ended.`;
}

async function takeTurn(dataDir: string): Promise<() => void> {
  const endTurn = await lock(pathsIn(dataDir).turn, "exclusive", turnTimeoutMs);
  if (endTurn) return endTurn;
  throw new StartupProblem(
    `Another process has been starting or stopping the database in ${dataDir} for six minutes: look at postgres.log there.`,
  );
}

async function giveUp(dataDir: string, leave: () => void): Promise<void> {
  const { folder, users } = pathsIn(dataDir);
  const endTurn = await takeTurn(dataDir);
  try {
    leave();
    const closeAlone = tryLock(users, "exclusive");
    if (!closeAlone) return;
    try {
      const running = existsSync(folder) ? await settled(folder) : null;
      if (running) await stopPostgres(folder, running);
    } finally {
      closeAlone();
    }
  } finally {
    endTurn();
  }
}

async function ensureRunning(options: {
  dataDir: string;
  settings?: Record<string, string>;
  log: (line: string) => void;
  alone: boolean;
}): Promise<{ port: number; startedHere: boolean }> {
  const { dataDir, log, alone } = options;
  const paths = pathsIn(dataDir);
  clearUnfinished(dataDir);
  const account = accountFor(existsSync(paths.folder) ? paths.folder : dataDir);
  const fresh = !existsSync(paths.folder);
  if (!fresh) giveTo(account, paths.folder);
  const running = fresh ? null : await findAnswering(paths.folder, dataDir);
  const binaries = binariesFor(account);
  const { launch, settings } = launchWith(binaries, options.settings);
  if (running && !alone) return { port: running.port, startedHere: false };
  if (running?.launch === launch) {
    await provide(running, dataDir);
    return { port: running.port, startedHere: false };
  }
  if (running) await stopPostgres(paths.folder, running); // left behind by a version with other settings
  if (fresh) {
    log("Making the database.");
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
    await provide(started, dataDir);
  } catch (error) {
    await stopPostgres(paths.folder, started);
    throw error;
  }
  return { port: started.port, startedHere: true };
}

/** What PostgreSQL is started with; `launch` names it all, so that a change is noticed. */
function launchWith({ version }: Binaries, own: Record<string, string> = {}) {
  const settings: Record<string, string> = { ...defaultSettings, ...own };
  const launch = createHash("sha256")
    .update(JSON.stringify([version, settings]))
    .digest("hex");
  return { launch, settings: { ...settings, "referral_network.launch": launch } };
}

/**
 * Start the database again after it died, unless another of its users has. On the same port: that is
 * where all of them look for it.
 */
async function revive(options: {
  dataDir: string;
  settings?: Record<string, string>;
  port: number;
}): Promise<void> {
  const { dataDir, port } = options;
  const paths = pathsIn(dataDir);
  const endTurn = await takeTurn(dataDir);
  try {
    if (await settled(paths.folder)) return;
    const account = accountFor(paths.folder);
    const binaries = binariesFor(account);
    const { settings } = launchWith(binaries, options.settings);
    const { folder, log: logFile } = paths;
    const { postgres } = binaries;
    await startPostgres({ postgres, folder, account, settings, logFile, port });
  } finally {
    endTurn();
  }
}

/** The role and the database of the product, made once; whole again after an interrupted first start. */
async function provide(running: RunningPostgres, dataDir: string): Promise<void> {
  const password = passwordIn(dataDir);
  const client = await connect(address("postgres", running.port, "postgres", password), dataDir);
  try {
    const role = await client.query("select from pg_roles where rolname = $1", [name]);
    if (role.rowCount === 0) {
      await client.query(
        `create role ${name} login createdb password ${client.escapeLiteral(password)}`,
      );
    }
    const database = await client.query("select from pg_database where datname = $1", [name]);
    if (database.rowCount === 0) await client.query(`create database ${name} owner ${name}`);
  } finally {
    await client.end();
  }
}

/** The running database and what it was started with: `launch` names its version and settings. */
async function findAnswering(
  folder: string,
  dataDir: string,
): Promise<(RunningPostgres & { launch: string | null }) | null> {
  const deadline = performance.now() + 30_000;
  for (;;) {
    const running = await settled(folder);
    if (!running) return null;
    try {
      return { ...running, launch: await launchOf(running, dataDir) };
    } catch (error) {
      // killed or told to stop this very moment: the next look shows it gone
      if (error instanceof StartupProblem || performance.now() > deadline) throw error;
      await sleep(50);
    }
  }
}

async function launchOf(running: RunningPostgres, dataDir: string): Promise<string | null> {
  const password = passwordIn(dataDir);
  const client = await connect(address("postgres", running.port, "postgres", password), dataDir);
  try {
    const { rows } = await client.query<{ launch: string | null }>(
      "select current_setting('referral_network.launch', true) as launch",
    );
    return rows[0]?.launch ?? null;
  } finally {
    await client.end();
  }
}

async function connect(connectionString: string, dataDir: string): Promise<Client> {
  const client = new Client({
    connectionString,
    connectionTimeoutMillis: 20_000,
    statement_timeout: 20_000,
    lock_timeout: 20_000,
  });
  try {
    await client.connect();
    return client;
  } catch (error) {
    const wrongPassword = error instanceof DatabaseError && error.code === "28P01";
    if (!wrongPassword) throw error;
    throw new StartupProblem(
      `The database in ${dataDir} does not open with the password in its file database-password: restore that file, or choose another folder with DATA_DIR.`,
      { cause: error },
    );
  }
}

function address(user: string, port: number, database: string, password: string): string {
  // sslmode, so that a PGSSLMODE in the environment does not ask the loopback for a certificate
  return `postgresql://${user}:${password}@127.0.0.1:${port}/${database}?sslmode=disable`;
}
